package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Beside;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
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
     * @param ends of its events; of what runs beside kernels, when it has ended
     * @param busyNanos how long it computes
     * @param lostNanos what its kernels lose to what is moved beside them
     * @param waits longest first
     */
    public record StageTimes(List<Long> begins, List<Long> ends, long busyNanos, long lostNanos, List<Wait> waits) {
        public StageTimes {
            begins = List.copyOf(begins);
            ends = List.copyOf(ends);
            waits = List.copyOf(waits);
        }

        /** How long it waits, for other stages and other ranks. */
        public long waitedNanos() {
            return waits.stream().mapToLong(Wait::nanos).sum();
        }

        /** How long it waits for what ranks exchange. */
        public long rankNanos() {
            return waits.stream()
                    .filter(Wait::isForRanks)
                    .mapToLong(Wait::nanos)
                    .sum();
        }
    }

    /**
     * A stage that could go on but for something beside its kernels.
     *
     * @param step in front of which it waits
     * @param what it waits for
     */
    public record Wait(int step, Beside what, long nanos) {
        /** Whether that is an exchange with other ranks. */
        public boolean isForRanks() {
            return what instanceof Exchange;
        }
    }

    public SetTimes {
        stages = List.copyOf(stages);
    }

    /** Share of all stages' time in which they compute nothing. */
    public double bubble() {
        long busy = stages.stream().mapToLong(StageTimes::busyNanos).sum();
        return makespan == 0 ? 0 : 1 - (double) busy / ((double) makespan * stages.size());
    }
}
