package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_DISABLE_TIMING;
import static org.bytedeco.cuda.global.cudart.CU_STREAM_NON_BLOCKING;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventRecord;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoHAsync;
import static org.bytedeco.cuda.global.cudart.cuMemcpyHtoDAsync;
import static org.bytedeco.cuda.global.cudart.cuStreamCreate;
import static org.bytedeco.cuda.global.cudart.cuStreamDestroy;
import static org.bytedeco.cuda.global.cudart.cuStreamSynchronize;
import static org.bytedeco.cuda.global.cudart.cuStreamWaitEvent;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.plan.Lane;
import dev.remat.runtime.Moved.LaneUse;
import dev.remat.runtime.lane.StepEvents;
import dev.remat.runtime.lane.StepEvents.Meeting;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;

/**
 * Makes a plan's transfers beside its kernels: a stream for stores and one for fetches, which are forked off the
 * kernels' and join it again, so that a graph that is captured holds them. Callers have made the context their own.
 */
final class CudaLanes implements AutoCloseable {
    private static final List<Lane> LANES = List.of(Lane.STORE, Lane.FETCH);

    private final ExecutionPlan plan;
    private final Transfers transfers;
    private final StepEvents events;
    private final GpuArena arena;
    private final CudaExecutable.Options options;
    private final List<Runnable> owned = new ArrayList<>();
    private final List<PinnedPlace> places = new ArrayList<>();
    private final Map<Lane, CUstream_st> streams = new EnumMap<>(Lane.class);
    /** Recorded in the kernels' stream where a copy may begin. */
    private final CUevent_st arrived = new CUevent_st();
    /** Recorded behind each copy. */
    private final List<CUevent_st> ended = new ArrayList<>();

    /** By lane, two of each place: the one that stores, then the one that fetches. */
    private final long[] movedBytes;

    private Optional<LaneTimes> times = Optional.empty();
    /** Since the lanes were last joined: what has begun, by its number. */
    private final NavigableMap<Integer, Transfer> begun = new TreeMap<>();

    /**
     * @param host lanes of a plan that takes turns with this one, and whose places this one shares
     * @throws HostMemoryException if the host has not the memory that the plan moves tensors to
     * @throws DeviceException if the GPU or its driver fails
     */
    CudaLanes(ExecutionPlan plan, GpuArena arena, CudaExecutable.Options options, Optional<CudaLanes> host) {
        this.plan = plan;
        this.transfers = plan.transfers();
        this.events = new StepEvents(transfers, plan.steps().size());
        this.movedBytes = new long[transfers.lanes()];
        this.arena = arena;
        this.options = options;
        if (transfers.isEmpty()) {
            return;
        }
        try {
            host.ifPresent(other -> places.addAll(other.places));
            for (PlaceSize place : host.isEmpty() ? transfers.places() : List.<PlaceSize>of()) {
                PinnedPlace pinned = new PinnedPlace(place.bytes());
                owned.add(pinned::close);
                places.add(pinned);
            }
            for (Lane lane : LANES) {
                CUstream_st stream = new CUstream_st();
                check(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING), "a stream cannot be created");
                owned.add(() -> cuStreamDestroy(stream));
                streams.put(lane, stream);
            }
            create(arrived);
            for (int i = 0; i < transfers.all().size(); i++) {
                ended.add(new CUevent_st());
                create(ended.getLast());
            }
        } catch (DeviceException | HostMemoryException e) {
            close();
            throw e;
        }
    }

    private void create(CUevent_st event) {
        check(cuEventCreate(event, CU_EVENT_DISABLE_TIMING), "an event cannot be created");
        owned.add(() -> cuEventDestroy(event));
    }

    /** From now on each copy is timed. */
    void time() {
        times.ifPresent(LaneTimes::close);
        times = Optional.of(new LaneTimes(transfers));
    }

    /** Counts what steps have moved, which all have ended. */
    void tell(int from, int to) {
        int end = to == plan.steps().size() ? to + 1 : to;
        for (int step = from; step < end; step++) {
            for (Meeting meeting : events.before(step)) {
                if (!meeting.isAwait()) {
                    Transfer transfer = meeting.transfer();
                    int lane = transfer.laneNumber();
                    movedBytes[lane] += transfer.range().bytes();
                    times.ifPresent(copies -> copies.ran(meeting.number(), lane));
                }
            }
        }
    }

    /** What each lane has done, and for how long since copies are timed. */
    List<LaneUse> uses() {
        List<LaneUse> uses = new ArrayList<>();
        for (int lane = 0; lane < movedBytes.length; lane++) {
            int own = lane;
            String place = transfers.places().get(lane / 2).name();
            long busy = times.map(copies -> copies.busyNanos(own)).orElse(0L);
            uses.add(new LaneUse(place, lane % 2 == 0, movedBytes[lane], busy));
        }
        return uses;
    }

    /**
     * Does what stands in front of a step.
     *
     * @param what is being run, for messages
     * @param inGraph whether this is recorded rather than run
     */
    void before(int step, String what, boolean inGraph) {
        for (Meeting meeting : events.before(step)) {
            if (!meeting.isAwait()) {
                begin(meeting.number(), meeting.transfer(), what, inGraph);
                continue;
            }
            if (begun.containsKey(meeting.number())) {
                await(arena.context().stream(), ended.get(meeting.number()));
            }
            if (meeting.releases() && options.poison()) {
                arena.poison(meeting.transfer().range());
            }
        }
    }

    private void begin(int number, Transfer transfer, String what, boolean inGraph) {
        CUstream_st stream = streams.get(transfer.lane());
        record(arrived, arena.context().stream());
        await(stream, arrived);
        transfer.waits().stream().filter(begun::containsKey).forEach(other -> await(stream, ended.get(other)));
        long address = arena.address() + transfer.range().offset();
        long bytes = transfer.range().bytes();
        PinnedPlace place = places.get(transfer.place());
        times.ifPresent(lanes -> lanes.begins(number, stream, inGraph));
        int result = transfer.isStore()
                ? cuMemcpyDtoHAsync(place.at(transfer.offset()), address, bytes, stream)
                : cuMemcpyHtoDAsync(address, place.at(transfer.offset()), bytes, stream);
        if (result == 0 && options.synchronous()) {
            result = cuStreamSynchronize(stream);
        }
        check(result, what + (transfer.isStore() ? "the store of " : "the fetch of ") + transfer.name());
        times.ifPresent(lanes -> lanes.ends(number, stream, inGraph));
        record(ended.get(number), stream);
        begun.put(number, transfer);
        arena.reached(transfer.range().end());
    }

    /** What follows in the kernels' stream comes after all that has begun. */
    void join() {
        lastOfEach().forEach(last -> await(arena.context().stream(), last));
        begun.clear();
    }

    /**
     * Runs what begins copies, and joins them. Where it fails they are joined, too, as far as the device still can: who
     * waits for the kernels' stream finds nothing under way, and a capture can end.
     */
    void joining(Runnable launches) {
        try {
            launches.run();
            join();
        } catch (RuntimeException | Error e) {
            lastOfEach().forEach(last -> cuStreamWaitEvent(arena.context().stream(), last, 0));
            begun.clear();
            throw e;
        }
    }

    /** The events behind what has begun last in each lane. */
    private List<CUevent_st> lastOfEach() {
        return LANES.stream()
                .flatMap(lane -> begun.entrySet().stream()
                        .filter(each -> each.getValue().lane() == lane)
                        .reduce((_, later) -> later)
                        .stream())
                .map(last -> ended.get(last.getKey()))
                .toList();
    }

    private static void record(CUevent_st event, CUstream_st stream) {
        check(cuEventRecord(event, stream), "an event cannot be recorded");
    }

    private static void await(CUstream_st stream, CUevent_st event) {
        check(cuStreamWaitEvent(stream, event, 0), "a stream cannot wait");
    }

    /** Bytes of a tensor that lives below the arena, where nothing moves them while the step does not run. */
    MemorySegment bytes(ArenaTensor tensor, long from, long bytes) {
        return places.get(tensor.place()).slice(tensor.offset() + from, bytes);
    }

    /** Steps in front of which kernels wait for transfers. */
    boolean waits(int step) {
        return events.before(step).stream().anyMatch(Meeting::isAwait);
    }

    /** Callers have waited for the kernels' stream, and so for every copy. */
    @Override
    public void close() {
        times.ifPresent(LaneTimes::close);
        owned.reversed().forEach(Runnable::run);
        owned.clear();
    }
}
