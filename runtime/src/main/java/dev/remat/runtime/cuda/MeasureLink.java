package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_DEFAULT;
import static org.bytedeco.cuda.global.cudart.CU_STREAM_NON_BLOCKING;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventElapsedTime;
import static org.bytedeco.cuda.global.cudart.cuEventRecord;
import static org.bytedeco.cuda.global.cudart.cuEventSynchronize;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoHAsync;
import static org.bytedeco.cuda.global.cudart.cuMemcpyHtoDAsync;
import static org.bytedeco.cuda.global.cudart.cuStreamCreate;
import static org.bytedeco.cuda.global.cudart.cuStreamDestroy;

import dev.remat.runtime.profile.MeasurePlace.Rates;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;

/** How fast a GPU stores to memory of the host and fetches from it, as lanes do: copies in streams of their own. */
public final class MeasureLink {
    private static final long BYTES = 64L << 20;
    private static final int SMALL_COPIES = 64;
    private static final int SMALL_BYTES = 4096;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;

    /** A stream with the times between which it copied. */
    private static final class Lane implements AutoCloseable {
        private final CUstream_st stream = new CUstream_st();
        private final List<CUevent_st> times = new ArrayList<>();

        Lane() {
            check(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING), "a stream cannot be created");
        }

        void tell() {
            CUevent_st time = new CUevent_st();
            check(cuEventCreate(time, CU_EVENT_DEFAULT), "an event cannot be created");
            times.add(time);
            check(cuEventRecord(time, stream), "an event cannot be recorded");
        }

        /** Between the last two times, in milliseconds. */
        double millis() {
            CUevent_st end = times.getLast();
            check(cuEventSynchronize(end), "copies have failed");
            float[] millis = new float[1];
            check(cuEventElapsedTime(millis, times.get(times.size() - 2), end), "the time of a copy cannot be told");
            return Math.max(millis[0], Float.MIN_NORMAL);
        }

        @Override
        public void close() {
            times.forEach(time -> cuEventDestroy(time));
            cuStreamDestroy(stream);
        }
    }

    private final GpuArena arena;
    private final PinnedPlace place;
    private final Lane stores;
    private final Lane fetches;

    private MeasureLink(GpuArena arena, PinnedPlace place, Lane stores, Lane fetches) {
        this.arena = arena;
        this.place = place;
        this.stores = stores;
        this.fetches = fetches;
    }

    /**
     * Takes 128 MiB of the GPU and of the host for some hundredths of a second.
     *
     * @throws DeviceException if the GPU cannot be used
     * @throws DeviceMemoryException if it has less memory free
     * @throws HostMemoryException if the host has
     */
    public static Rates of(Gpu gpu) {
        try (GpuArena arena = GpuArena.allocate(gpu, 2 * BYTES);
                GpuContext.Current _ = arena.context().use();
                PinnedPlace place = new PinnedPlace(2 * BYTES);
                Lane stores = new Lane();
                Lane fetches = new Lane()) {
            return new MeasureLink(arena, place, stores, fetches).rates();
        }
    }

    private Rates rates() {
        check(arena.context().await(), "the device failed");
        store();
        fetch();
        store();
        double store = rate(stores.millis());
        fetch();
        double fetch = rate(fetches.millis());
        store();
        fetch();
        double storeBeside = rate(stores.millis());
        double fetchBeside = rate(fetches.millis());
        fetches.tell();
        for (int i = 0; i < SMALL_COPIES; i++) {
            fetch(i * (long) SMALL_BYTES, SMALL_BYTES);
        }
        fetches.tell();
        long latency = Math.round(fetches.millis() * NANOS_PER_MILLI / SMALL_COPIES);
        return new Rates(store, fetch, storeBeside, fetchBeside, latency, 0);
    }

    private static double rate(double millis) {
        return BYTES * MILLIS_PER_SECOND / millis;
    }

    private void store() {
        stores.tell();
        check(cuMemcpyDtoHAsync(place.at(0), arena.address(), BYTES, stores.stream), "memory cannot be stored");
        stores.tell();
    }

    private void fetch() {
        fetches.tell();
        fetch(BYTES, BYTES);
        fetches.tell();
    }

    private void fetch(long offset, long bytes) {
        check(
                cuMemcpyHtoDAsync(arena.address() + offset, place.at(offset), bytes, fetches.stream),
                "memory cannot be fetched");
    }
}
