package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_DEFAULT;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_RECORD_DEFAULT;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_RECORD_EXTERNAL;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventElapsedTime;
import static org.bytedeco.cuda.global.cudart.cuEventRecordWithFlags;

import dev.remat.ir.execution.Transfers;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;

/** How long each copy of a plan takes, by the clock of the GPU. Callers have made the context their own. */
final class LaneTimes implements AutoCloseable {
    private static final double NANOS_PER_MILLI = 1e6;

    private final List<CUevent_st> begins = new ArrayList<>();
    private final List<CUevent_st> ends = new ArrayList<>();
    /** By lane. */
    private final long[] nanos;

    LaneTimes(Transfers transfers) {
        this.nanos = new long[transfers.lanes()];
        transfers.all().forEach(_ -> {
            begins.add(event());
            ends.add(event());
        });
    }

    private static CUevent_st event() {
        CUevent_st event = new CUevent_st();
        check(cuEventCreate(event, CU_EVENT_DEFAULT), "an event cannot be created");
        return event;
    }

    /** @param inGraph whether the stream is captured; a replay then records the event anew */
    void begins(int transfer, CUstream_st stream, boolean inGraph) {
        record(begins.get(transfer), stream, inGraph);
    }

    void ends(int transfer, CUstream_st stream, boolean inGraph) {
        record(ends.get(transfer), stream, inGraph);
    }

    private static void record(CUevent_st event, CUstream_st stream, boolean inGraph) {
        int flags = inGraph ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT;
        check(cuEventRecordWithFlags(event, stream, flags), "an event cannot be recorded");
    }

    /** A copy of a lane has ended, after it has begun and ended before or for the first time. */
    void ran(int number, int lane) {
        float[] millis = new float[1];
        check(cuEventElapsedTime(millis, begins.get(number), ends.get(number)), "the time of a copy cannot be told");
        nanos[lane] += Math.round(millis[0] * NANOS_PER_MILLI);
    }

    /** How long a lane has copied so far. */
    long busyNanos(int lane) {
        return nanos[lane];
    }

    @Override
    public void close() {
        begins.forEach(event -> cuEventDestroy(event));
        ends.forEach(event -> cuEventDestroy(event));
    }
}
