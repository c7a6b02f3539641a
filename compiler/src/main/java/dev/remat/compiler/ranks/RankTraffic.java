package dev.remat.compiler.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.List;

/**
 * What each rank sends to the others in a step of a plan, and takes from them.
 *
 * @param exchanges in the order in which a round has them
 */
public record RankTraffic(int ranks, List<Sent> exchanges) {
    /**
     * One exchange.
     *
     * @param name of what it brings
     * @param step of the plan that it is
     * @param bytes that the rank takes which takes the most, each time
     * @param times in a step
     */
    public record Sent(String name, int step, boolean scatters, long bytes, int times) {
        public long bytesOfStep() {
            return times * bytes;
        }
    }

    public RankTraffic {
        exchanges = List.copyOf(exchanges);
    }

    public static RankTraffic of(ExecutionPlan plan) {
        List<Sent> exchanges = new ArrayList<>();
        for (int step = 0; step < plan.steps().size(); step++) {
            KernelStep kernel = plan.steps().get(step);
            Instruction instruction = kernel.body().instructions().getFirst();
            if (instruction.op() instanceof Exchange exchange) {
                exchanges.add(new Sent(
                        kernel.name(),
                        step,
                        exchange instanceof ScatterShares,
                        exchange.sentBytes(instruction.types().getFirst()),
                        plan.section(step).times()));
            }
        }
        return new RankTraffic(plan.ranks(), exchanges);
    }

    /** Bytes that a rank scatters in a step. */
    public long scatterBytes() {
        return bytes(true);
    }

    /** Bytes that a rank gathers in a step. */
    public long gatherBytes() {
        return bytes(false);
    }

    private long bytes(boolean scatters) {
        return exchanges.stream()
                .filter(sent -> sent.scatters() == scatters)
                .mapToLong(Sent::bytesOfStep)
                .sum();
    }

    /** How many exchanges a step has. */
    public long count() {
        return exchanges.stream().mapToLong(Sent::times).sum();
    }

    /** How long the exchanges of a step take, one behind the other. */
    public double nanos(Link link) {
        return exchanges.stream().mapToDouble(sent -> nanos(link, sent)).sum();
    }

    /** The same of one exchange, each time together. */
    public double nanos(Link link, Sent sent) {
        return sent.times() * link.nanos(ranks, sent.bytes());
    }
}
