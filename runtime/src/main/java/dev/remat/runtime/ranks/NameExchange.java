package dev.remat.runtime.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an exchange or a message is, to people: its name in the plan, and whose gradients it has. */
final class NameExchange {
    private static final String GRADIENT = "grad.";
    private static final int NAMED = 1;

    private NameExchange() {}

    /** @param step of the plan, which is an exchange or a message */
    static String of(ExecutionPlan plan, int step) {
        KernelStep exchange = plan.steps().get(step);
        if (exchange.body().reads().isEmpty()) {
            return exchange.name();
        }
        List<KernelStep> packed = makersOf(plan, step, exchange.read(0)).toList();
        SequencedSet<String> parts = Stream.concat(
                        packed.stream(),
                        packed.stream()
                                .flatMap(pack -> pack.reads().stream())
                                .flatMap(read -> makersOf(plan, step, read)))
                .map(KernelStep::name)
                .filter(name -> name.startsWith(GRADIENT))
                .map(name -> name.substring(GRADIENT.length()))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (parts.isEmpty()) {
            return exchange.name();
        }
        int others = parts.size() - NAMED;
        return exchange.name() + " (" + parts.getFirst() + (others == 0 ? "" : " and " + others + " more") + ")";
    }

    /** The steps in front that make what is read. */
    private static Stream<KernelStep> makersOf(ExecutionPlan plan, int before, MemoryRead read) {
        return plan.steps().subList(0, before).stream()
                .filter(step -> step.results().stream().anyMatch(result -> result.value() == read.value()));
    }
}
