package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_DEFAULT;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_RECORD_DEFAULT;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_RECORD_EXTERNAL;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventElapsedTime;
import static org.bytedeco.cuda.global.cudart.cuEventRecordWithFlags;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.TimedExecutable.StepTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;

/** When each step of a plan ended, by the clock of the GPU. Callers have made the context their own. */
final class EventTimes implements AutoCloseable {
    private static final double NANOS_PER_MILLI = 1e6;

    private final CUstream_st stream;
    private final StepTimer listener;
    private final CUevent_st begin;
    /** All transfers that kernels have not waited for have ended, too. */
    private final CUevent_st joined;

    private final List<CUevent_st> ends = new ArrayList<>();
    private long exposedNanos;
    /** Behind what was waited for in front of a step. */
    private final NavigableMap<Integer, CUevent_st> waited = new TreeMap<>();

    /** @param waits whether kernels wait for transfers in front of a step */
    EventTimes(ExecutionPlan plan, CUstream_st stream, StepTimer listener, IntPredicate waits) {
        this.stream = stream;
        this.listener = listener;
        this.begin = event();
        this.joined = event();
        plan.steps().forEach(_ -> ends.add(event()));
        IntStream.range(0, plan.steps().size()).filter(waits).forEach(step -> waited.put(step, event()));
    }

    private static CUevent_st event() {
        CUevent_st event = new CUevent_st();
        check(cuEventCreate(event, CU_EVENT_DEFAULT), "an event cannot be created");
        return event;
    }

    /** @param inGraph whether the stream is captured; a replay then records the event anew */
    void begin(boolean inGraph) {
        record(begin, inGraph);
    }

    void ran(int step, boolean inGraph) {
        record(ends.get(step), inGraph);
    }

    /** What stands in front of a step has ended, and its kernels begin. */
    void waited(int step, boolean inGraph) {
        record(waited.get(step), inGraph);
    }

    void joined(boolean inGraph) {
        record(joined, inGraph);
    }

    private void record(CUevent_st event, boolean inGraph) {
        int flags = inGraph ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT;
        check(cuEventRecordWithFlags(event, stream, flags), "an event cannot be recorded");
    }

    /**
     * Tells how long each of these steps took, which all have ended. Steps that a launch of an earlier one has carried
     * out share its time.
     *
     * @param isLaunched whether a step has launches of its own
     */
    void tell(int from, int to, IntPredicate isLaunched) {
        CUevent_st before = begin;
        int step = from;
        while (step < to) {
            int next = step + 1;
            while (next < to && !isLaunched.test(next)) {
                next++;
            }
            CUevent_st first = waited.getOrDefault(step, before);
            if (waited.containsKey(step)) {
                exposedNanos += nanos(before, first);
            }
            long share = Math.round((double) nanos(first, ends.get(next - 1)) / (next - step));
            before = ends.get(next - 1);
            for (; step < next; step++) {
                listener.ran(step, share);
            }
        }
        exposedNanos += waited.isEmpty() ? 0 : nanos(before, joined);
    }

    private static long nanos(CUevent_st from, CUevent_st to) {
        float[] millis = new float[1];
        check(cuEventElapsedTime(millis, from, to), "the time of a kernel cannot be told");
        return Math.round(millis[0] * NANOS_PER_MILLI);
    }

    /** In which kernels have waited for transfers so far. */
    long exposedNanos() {
        return exposedNanos;
    }

    @Override
    public void close() {
        cuEventDestroy(begin);
        cuEventDestroy(joined);
        ends.forEach(event -> cuEventDestroy(event));
        waited.values().forEach(event -> cuEventDestroy(event));
    }
}
