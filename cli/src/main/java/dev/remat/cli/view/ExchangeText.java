package dev.remat.cli.view;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.account.ExchangeFacts;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.FollowExchanges;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.compiler.ranks.RankTraffic.Sent;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.target.CostModel;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * How a value travels among ranks, as people read it.
 *
 * @param row prints a label and a text
 */
record ExchangeText(PlanAccount account, BiConsumer<String, String> row) {
    private static final int MOST_NAMES = 4;

    void print(ValueId value) {
        if (account.compilation().plan().ranks() == 1) {
            return;
        }
        String label = "exchanged";
        for (ExchangeFacts each : new FollowExchanges(account).of(value)) {
            row.accept(label, what(each));
            row.accept("", when(each));
            label = "";
        }
    }

    private static String what(ExchangeFacts exchange) {
        Sent sent = exchange.when().sent();
        return exchange.brings().name() + ": "
                + (sent.scatters() ? "each rank gets its share of " : "all ranks get ")
                + exchange.sends().name()
                + (exchange.joined().isEmpty() ? "" : ", which is " + names(exchange.joined()))
                + ", " + ByteSize.format(sent.bytes()) + " a rank"
                + (sent.times() == 1 ? "" : ", " + sent.times() + " times a step");
    }

    private String when(ExchangeFacts exchange) {
        Exchanged when = exchange.when();
        String awaited = exchange.awaitedBy()
                .map(by -> "awaited in front of step " + when.awaited() + ", " + by.name())
                .orElse("awaited at the end of the round");
        return "leaves at step " + when.sent().step() + ", " + awaited + times(when);
    }

    private String times(Exchanged when) {
        if (ExchangeTimes.of(account).isEmpty()) {
            return "";
        }
        CostModel costs = account.compilation().costs();
        return ": on its way " + ViewText.time(costs, when.end() - when.begin()) + " from "
                + ViewText.time(costs, when.begin()) + " on, "
                + (when.waited() == 0 ? "no kernel waits" : "kernels wait " + ViewText.time(costs, when.waited()));
    }

    private static String names(List<Value> joined) {
        List<String> names = joined.stream().limit(MOST_NAMES).map(Value::name).toList();
        int more = joined.size() - names.size();
        return String.join(", ", names) + (more == 0 ? "" : " and " + more + " more");
    }
}
