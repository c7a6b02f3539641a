package dev.remat.runtime.ranks;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.ranks.Transport.Begun;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The exchanges and messages of a run of steps that have begun and not ended. Exchanges end in the order in which they
 * have begun, messages each by itself.
 */
public final class ExchangesUnderWay {
    private record Open(ExchangeWindow window, Begun exchange) {}

    private final ExecutionPlan plan;
    private final List<ExchangeWindow> windows;
    private final Transport transport;
    private final Consumer<Begun> meanwhile;
    private final Deque<Open> open = new ArrayDeque<>();
    private final List<Open> messages = new ArrayList<>();
    private int at;

    /**
     * @param windows of all exchanges of the plan
     * @param meanwhile what a thread does instead of waiting, until something has ended
     */
    public ExchangesUnderWay(
            ExecutionPlan plan, List<ExchangeWindow> windows, Transport transport, Consumer<Begun> meanwhile) {
        this.plan = plan;
        this.windows = windows;
        this.transport = transport;
        this.meanwhile = meanwhile;
    }

    public Transport transport() {
        return transport;
    }

    /** The step that runs. */
    public void at(int step) {
        at = step;
    }

    /** Waits for what has to have ended in front of a step. */
    public void before(int step) {
        endUpTo(open.stream().filter(each -> each.window().end() <= step).reduce((_, last) -> last));
        endMessages(each -> each.window().end() <= step);
    }

    /** It has begun an exchange. */
    public void add(Begun exchange) {
        open.add(new Open(window(), exchange));
    }

    /** It has begun a message. */
    public void addMessage(Begun message) {
        messages.add(new Open(window(), message));
    }

    private ExchangeWindow window() {
        return windows.stream().filter(each -> each.begin() == at).findFirst().orElseThrow();
    }

    /** Waits for what sends bytes of a range that is about to be overwritten. */
    public void endThatSend(ByteRange range) {
        endUpTo(open.stream()
                .filter(each -> each.window().sent().overlaps(range))
                .reduce((_, last) -> last));
        endMessages(each -> each.window().sent().overlaps(range));
    }

    /** Waits for all. */
    public void endAll() {
        endUpTo(Optional.ofNullable(open.peekLast()));
        endMessages(_ -> true);
    }

    private void endMessages(Predicate<Open> which) {
        for (Iterator<Open> each = messages.iterator(); each.hasNext(); ) {
            Open message = each.next();
            if (which.test(message)) {
                end(message);
                each.remove();
            }
        }
    }

    private void end(Open which) {
        meanwhile.accept(which.exchange());
        transport.await(
                which.exchange(), () -> NameExchange.of(plan, which.window().begin()));
    }

    private void endUpTo(Optional<Open> last) {
        while (last.isPresent() && !open.isEmpty()) {
            Open first = open.remove();
            end(first);
            if (first.equals(last.get())) {
                return;
            }
        }
    }
}
