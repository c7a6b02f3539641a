package dev.remat.compiler.account;

import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.ir.graph.Value;
import java.util.List;
import java.util.Optional;

/**
 * An exchange that a value takes part in.
 *
 * @param brings what comes of it
 * @param sends what it sends
 * @param joined what lies in that one behind the other; empty if nothing was joined
 * @param when in its round it runs, and where kernels wait for it
 * @param awaitedBy what the step makes in front of which they wait; empty at the end of a round
 */
public record ExchangeFacts(Value brings, Value sends, List<Value> joined, Exchanged when, Optional<Value> awaitedBy) {
    public ExchangeFacts {
        joined = List.copyOf(joined);
    }
}
