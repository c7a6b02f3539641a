package dev.remat.runtime.lane;

import dev.remat.ir.Alignment;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.Transfers;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.lane.StepEvents.Meeting;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * Makes a plan's transfers beside its kernels: one thread for each lane, which copies and computes nothing. Threads of
 * lanes are never interrupted, because that would close a file.
 */
public final class Lanes implements AutoCloseable {
    /** All bits set is NaN in every floating dtype. */
    private static final byte POISON = (byte) 0xFF;

    /**
     * @param poison overwrite what transfers have freed with NaN, to see that nothing reads it
     * @param ahead is called by a lane before each transfer; tests hold it up
     */
    public record Options(Places places, boolean poison, Consumer<Transfer> ahead) {
        public static final Options NONE = new Options(Places.NONE, false, transfer -> {});
    }

    /** Stores of a step that is over, by number, of those lanes of some that share places that ran last. */
    private static final class RunningOn {
        private final SortedMap<Integer, Running> stores = new TreeMap<>();
        private Optional<Lanes> of = Optional.empty();
    }

    /** A transfer that has begun. */
    private static final class Running {
        private final Transfer transfer;
        private final CompletableFuture<Void> end;

        Running(Transfer transfer, CompletableFuture<Void> end) {
            this.transfer = transfer;
            this.end = end;
        }
    }

    private final Transfers transfers;
    private final MemorySegment arena;
    private final Options options;
    private final List<Place> places = new ArrayList<>();
    /** Whether it has opened its places, rather than to share them. */
    private final boolean ownsPlaces;

    /** Numbers of stores that need not have ended when a step is over. */
    private final SortedSet<Integer> late;

    private final RunningOn runningOn;

    private final List<ExecutorService> lanes = new ArrayList<>();
    private final StepEvents events;
    /** By the transfer's number, those that have begun in this round or an earlier one. */
    private final NavigableMap<Integer, Running> running = new TreeMap<>();
    /** Where bytes of places are looked at, once they are. */
    private Optional<MemorySegment> piece = Optional.empty();

    /** By lane, the bytes of all that has begun: whatever is late is of the step that began it. */
    private final long[] begunBytes;

    /** By lane, how long it took to move what has been moved. */
    private final AtomicLongArray busyNanos;

    private long exposedNanos;

    /**
     * @param steps of the plan
     * @throws PlaceException if a place cannot be had
     */
    public Lanes(Transfers transfers, int steps, MemorySegment arena, Options options) {
        this(transfers, steps, arena, options, Optional.empty());
    }

    /** @param host other lanes that take turns with these, and own the places of both */
    private Lanes(Transfers transfers, int steps, MemorySegment arena, Options options, Optional<Lanes> host) {
        this.ownsPlaces = host.isEmpty();
        this.runningOn = host.map(other -> other.runningOn).orElseGet(RunningOn::new);
        this.transfers = transfers;
        this.late = transfers.runningOn();
        this.arena = arena;
        this.options = options;
        this.begunBytes = new long[transfers.lanes()];
        this.busyNanos = new AtomicLongArray(transfers.lanes());
        this.events = new StepEvents(transfers, steps);
        try {
            for (PlaceSize size : transfers.places()) {
                int place = places.size();
                places.add(
                        ownsPlaces
                                ? options.places().open(size)
                                : host.get().places.get(place));
                lanes.add(lane("store to " + size.name()));
                lanes.add(lane("fetch from " + size.name()));
            }
        } catch (PlaceException e) {
            close();
            throw e;
        }
    }

    /**
     * For another plan that takes turns with this one and finds in its places what lives there.
     *
     * @param steps of that plan
     * @throws IllegalArgumentException if it has other places
     */
    public Lanes within(Transfers other, int steps) {
        if (!other.isEmpty() && !other.places().equals(transfers.places())) {
            throw new IllegalArgumentException(
                    "a plan with the places " + other.places() + " shares none of " + transfers.places());
        }
        return new Lanes(other, steps, arena, options, Optional.of(this));
    }

    private static ExecutorService lane(String name) {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** The end of the highest range of the arena that a transfer touches, in bytes. */
    public long highWaterBytes() {
        return transfers.all().stream()
                .map(Transfer::range)
                .mapToLong(ByteRange::end)
                .max()
                .orElse(0);
    }

    /** What lanes have been given to do so far, how long they worked at that, and how long was waited for them. */
    public Moved moved() {
        List<Moved.LaneUse> use = new ArrayList<>();
        for (int lane = 0; lane < lanes.size(); lane++) {
            String place = transfers.places().get(lane / 2).name();
            use.add(new Moved.LaneUse(place, lane % 2 == 0, begunBytes[lane], busyNanos.get(lane)));
        }
        return new Moved(OptionalLong.of(exposedNanos), use);
    }

    /**
     * Does what stands in front of a step: begins transfers, and waits for those that have to have ended.
     *
     * @throws PlaceException if one of them has failed
     */
    public void before(int step) {
        takeTurn();
        for (Meeting meeting : events.before(step)) {
            if (meeting.isAwait()) {
                find(meeting.number()).ifPresent(awaited -> await(awaited, meeting.releases()));
            } else {
                if (running.containsKey(meeting.number())) {
                    // The step was left in the middle, and begins anew.
                    drain();
                }
                running.put(meeting.number(), begin(meeting.transfer()));
            }
        }
    }

    /**
     * Waits for all that has begun, as the end of a section or of a round of it does.
     *
     * @throws PlaceException if a transfer has failed
     */
    public void drain() {
        running.values().forEach(this::expose);
        running.clear();
    }

    /**
     * Ends a step: waits for all that has begun but stores that run on beside the next one.
     *
     * @throws PlaceException if a transfer has failed
     */
    public void endStep() {
        settle();
        for (int number : late) {
            Optional.ofNullable(running.remove(number)).ifPresent(store -> runningOn.stores.put(number, store));
        }
        runningOn.of = Optional.of(this);
        drain();
    }

    /**
     * Lets what other lanes in these places have running on end, before anything here is written or moved.
     *
     * @throws PlaceException if a transfer has failed
     */
    public void takeTurn() {
        if (runningOn.of.isPresent() && runningOn.of.get() != this) {
            settle();
        }
    }

    /** Waits for what runs on from the last step. */
    private void settle() {
        runningOn.stores.values().forEach(this::expose);
        runningOn.stores.clear();
        runningOn.of = Optional.empty();
    }

    /** A transfer of this step, or of the one before if it runs on. */
    private Optional<Running> find(int number) {
        return Optional.ofNullable(running.getOrDefault(number, runningOn.stores.get(number)));
    }

    private Running begin(Transfer transfer) {
        List<Running> others =
                transfer.waits().stream().flatMap(other -> find(other).stream()).toList();
        int lane = transfer.laneNumber();
        begunBytes[lane] += transfer.range().bytes();
        CompletableFuture<Void> end = CompletableFuture.runAsync(
                () -> {
                    others.forEach(Lanes::join);
                    options.ahead().accept(transfer);
                    copy(transfer);
                },
                lanes.get(lane));
        return new Running(transfer, end);
    }

    private void copy(Transfer transfer) {
        long begin = System.nanoTime();
        Place place = places.get(transfer.place());
        MemorySegment bytes = bytes(transfer);
        String name = transfers.places().get(transfer.place()).name();
        try {
            if (transfer.isStore()) {
                place.store(bytes, transfer.offset());
            } else {
                place.fetch(transfer.offset(), bytes);
            }
        } catch (IOException e) {
            String moved = transfer.isStore() ? "' cannot be stored to " : "' cannot be fetched from ";
            throw new PlaceException("'" + transfer.name() + moved + name + ": " + e.getMessage(), e);
        }
        busyNanos.addAndGet(transfer.laneNumber(), System.nanoTime() - begin);
    }

    /**
     * Bytes of a tensor that lives in a place, when no transfer is on its way; valid until the next read or write.
     *
     * @throws PlaceException if they cannot be had
     */
    public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        settle();
        MemorySegment blocks = piece.orElseGet(this::allocatePiece).asSlice(0, wholeBlocks(bytes));
        try {
            places.get(tensor.place()).fetch(tensor.offset() + from, blocks);
        } catch (IOException e) {
            throw new PlaceException("'" + tensor.name() + "' cannot be read where it lives: " + e.getMessage(), e);
        }
        return blocks.asSlice(0, bytes).asReadOnly();
    }

    /**
     * Writes into a tensor that lives in a place, when no transfer is on its way; what follows in the last block is not
     * the tensor's any more.
     *
     * @throws PlaceException if that fails
     */
    public void write(ArenaTensor tensor, long from, MemorySegment source) {
        settle();
        MemorySegment blocks = piece.orElseGet(this::allocatePiece).asSlice(0, wholeBlocks(source.byteSize()));
        blocks.copyFrom(source);
        try {
            places.get(tensor.place()).store(blocks, tensor.offset() + from);
        } catch (IOException e) {
            throw new PlaceException("'" + tensor.name() + "' cannot be written where it lives: " + e.getMessage(), e);
        }
    }

    private MemorySegment allocatePiece() {
        MemorySegment allocated = Arena.ofAuto().allocate(Executable.PIECE_BYTES, DiskPlace.BLOCK);
        piece = Optional.of(allocated);
        return allocated;
    }

    private static long wholeBlocks(long bytes) {
        return Alignment.up(bytes, DiskPlace.BLOCK);
    }

    private MemorySegment bytes(Transfer transfer) {
        return arena.asSlice(transfer.range().offset(), transfer.range().bytes());
    }

    private void await(Running awaited, boolean releases) {
        expose(awaited);
        if (options.poison() && releases) {
            bytes(awaited.transfer).fill(POISON);
        }
    }

    /** Waits while no kernel runs. */
    private void expose(Running transfer) {
        if (transfer.end.isDone()) {
            join(transfer);
            return;
        }
        long begin = System.nanoTime();
        join(transfer);
        exposedNanos += System.nanoTime() - begin;
    }

    private static void join(Running transfer) {
        try {
            transfer.end.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof PlaceException failed) {
                throw failed;
            }
            throw e;
        }
    }

    /** Lets what has begun end, and gives the places back. */
    @Override
    public void close() {
        lanes.forEach(ExecutorService::close);
        if (ownsPlaces) {
            places.forEach(Place::close);
        }
    }
}
