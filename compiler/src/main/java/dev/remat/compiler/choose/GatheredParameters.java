package dev.remat.compiler.choose;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.ExchangeTimes.Wait;
import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.graph.InputKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The parameters that ranks hold in shares in a plan, and what it takes to put them together. */
final class GatheredParameters {
    private static final String GATHERED = "gathered.";

    /**
     * Those of a bucket.
     *
     * @param share its name
     * @param bytes of the parameters, whole
     * @param first step that gathers them
     * @param waited nanoseconds of a step in which kernels wait for that; 0 where no link is known
     */
    record Gathered(String share, long bytes, int first, double waited) {
        private double waitedByByte() {
            return waited / bytes;
        }
    }

    private GatheredParameters() {}

    /** In the order in which a round gathers them first. */
    static List<Gathered> of(Compilation plan, Optional<ExchangeTimes> times) {
        List<Gathered> all = new ArrayList<>();
        for (ArenaTensor input : plan.plan().inputs()) {
            if (input.kind() == InputKind.PARAMETER && input.share().isPresent()) {
                int first = RankTraffic.of(plan.plan()).exchanges().stream()
                        .filter(sent -> brings(sent.name(), input.name()))
                        .mapToInt(RankTraffic.Sent::step)
                        .findFirst()
                        .orElse(plan.plan().steps().size());
                long bytes = input.share().get().parts().stream()
                        .mapToLong(part -> part.type().bytes())
                        .sum();
                double waited = times.stream()
                        .flatMap(by -> by.waits().stream())
                        .filter(wait -> brings(wait.name(), input.name()))
                        .mapToDouble(Wait::nanos)
                        .sum();
                all.add(new Gathered(input.name(), bytes, first, waited));
            }
        }
        all.sort(Comparator.comparingInt(Gathered::first));
        return all;
    }

    /** Whether an exchange gathers a share, for the first time or again. */
    private static boolean brings(String exchange, String share) {
        String whole = GATHERED + share;
        return exchange.equals(whole) || exchange.startsWith(whole + ".");
    }

    /** Orders in which to hold parameters whole, by the names of their shares. */
    static List<List<String>> orders(List<Gathered> gathered) {
        return List.of(
                names(gathered, Comparator.comparingDouble(each -> -each.waitedByByte())),
                names(gathered, Comparator.comparingInt(each -> -each.first())));
    }

    private static List<String> names(List<Gathered> gathered, Comparator<Gathered> order) {
        return gathered.stream().sorted(order).map(Gathered::share).toList();
    }
}
