package dev.remat.ir.execution;

import dev.remat.ir.op.Message;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Send;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a stage sends to others and takes from them, for those who move it.
 *
 * @param ends in the order in which the plan begins them
 * @param stops in the order in which the plan comes to them
 */
public record StageMessages(List<End> ends, List<Stop> stops) {
    private static final String SENT = "sent.";

    /**
     * An end of a message.
     *
     * @param sends whether it is the sender's
     * @param stage the other one
     * @param number which both ends have, and no other message of the step
     * @param range where it is in the arena
     */
    public record End(String name, boolean sends, int stage, int number, ByteRange range) {}

    /** What a stage stops for; at one step in this order. */
    public enum Kind {
        /** The message has to have ended. */
        ENDS,
        /** From here on parameters and state change. */
        UPDATES,
        /** The message may begin: what it sends is there, or there is room for what it brings. */
        BEGINS
    }

    /**
     * Where a stage stops.
     *
     * @param before the step that it stops in front of; the number of steps at the end
     * @param message its place among the ends; -1 for the updates
     */
    public record Stop(int before, Kind kind, int message) {}

    public StageMessages {
        ends = List.copyOf(ends);
        stops = List.copyOf(stops);
    }

    /** Those of a plan; none of a step that is not cut into stages. */
    public static StageMessages of(ExecutionPlan plan) {
        List<End> ends = new ArrayList<>();
        List<Stop> stops = new ArrayList<>();
        for (ExchangeWindow window : ExchangeWindow.of(plan)) {
            KernelStep step = plan.steps().get(window.begin());
            Op op = step.body().instructions().getFirst().op();
            if (op instanceof Message message) {
                boolean sends = op instanceof Send;
                String name =
                        sends && step.name().startsWith(SENT) ? step.name().substring(SENT.length()) : step.name();
                stops.add(new Stop(window.begin(), Kind.BEGINS, ends.size()));
                stops.add(new Stop(window.end(), Kind.ENDS, ends.size()));
                ends.add(new End(
                        name, sends, message.stage(), message.number(), sends ? window.sent() : window.received()));
            }
        }
        if (!ends.isEmpty()) {
            IntStream.range(0, plan.steps().size())
                    .filter(step -> PlanSet.changesState(plan.steps().get(step)))
                    .limit(1)
                    .forEach(step -> stops.add(new Stop(step, Kind.UPDATES, -1)));
        }
        stops.sort(
                Comparator.comparingInt(Stop::before).thenComparing(Stop::kind).thenComparingInt(Stop::message));
        return new StageMessages(ends, stops);
    }

    public boolean isEmpty() {
        return ends.isEmpty();
    }
}
