package dev.remat.compiler.pipeline;

import java.util.List;

/**
 * When everything of a set happens, in nanoseconds from the begin of the step.
 *
 * @param makespan when the last stage has ended, its messages included
 */
public record SetTimes(long makespan, List<StageTimes> stages) {
    /**
     * Of a stage.
     *
     * @param begins of its events, in their order
     * @param ends of its events; of a message, when it has arrived
     * @param busyNanos how long it computes
     * @param waits longest first
     */
    public record StageTimes(List<Long> begins, List<Long> ends, long busyNanos, List<Wait> waits) {
        public StageTimes {
            begins = List.copyOf(begins);
            ends = List.copyOf(ends);
            waits = List.copyOf(waits);
        }

        /** How long it waits for messages. */
        public long waitedNanos() {
            return waits.stream().mapToLong(Wait::nanos).sum();
        }
    }

    /**
     * A stage that could go on but for a message.
     *
     * @param step in front of which it waits
     * @param message that it waits for
     */
    public record Wait(int step, String message, long nanos) {}

    public SetTimes {
        stages = List.copyOf(stages);
    }

    /** Share of all stages' time in which they compute nothing. */
    public double bubble() {
        long busy = stages.stream().mapToLong(StageTimes::busyNanos).sum();
        return makespan == 0 ? 0 : 1 - (double) busy / ((double) makespan * stages.size());
    }
}
