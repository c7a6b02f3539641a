package dev.remat.runtime.profile;

import dev.remat.runtime.lane.DiskPlace;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Place;
import dev.remat.runtime.lane.PlaceException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** How fast a place stores and fetches, as lanes use it: one transfer after the other; and what kernels lose to it. */
public final class MeasurePlace {
    /** Of the file: what is stored and what is fetched beside it. */
    private static final long HALF = 64L << 20;

    private static final long PIECE = 8L << 20;
    private static final int SMALL_TRANSFERS = 64;

    /**
     * Rates in bytes a second.
     *
     * @param store of stores alone
     * @param fetch of fetches alone
     * @param storeBeside of stores while fetches run
     * @param fetchBeside of fetches while stores run
     * @param latencyNanos of a fetch of one block
     * @param interferenceNanosPerMegabyte what kernels lose to each 10^6 bytes that are moved beside them
     */
    public record Rates(
            double store,
            double fetch,
            double storeBeside,
            double fetchBeside,
            long latencyNanos,
            long interferenceNanosPerMegabyte) {}

    /** Moves some bytes. */
    @FunctionalInterface
    private interface Pass {
        void run() throws IOException;
    }

    private final Place place;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;

    private MeasurePlace(Place place, Arena arena) {
        this.place = place;
        this.outgoing = arena.allocate(PIECE, DiskPlace.BLOCK).fill((byte) 0x5A);
        this.incoming = arena.allocate(PIECE, DiskPlace.BLOCK);
    }

    /**
     * Takes 128 MiB of a folder's disk, and all processors, for two seconds.
     *
     * @throws PlaceException if the folder cannot be a place for tensors
     */
    public static Rates disk(Path folder) {
        try (Place disk = new DiskPlace(folder, 2 * HALF);
                Arena arena = Arena.ofShared()) {
            return new MeasurePlace(disk, arena).rates();
        } catch (IOException e) {
            throw new PlaceException(folder + " cannot be a place for tensors: " + e.getMessage(), e);
        }
    }

    /** Takes 128 MiB of the host's memory, and all processors, for two seconds. */
    public static Rates host() {
        try (Place host = new HostPlace(2 * HALF);
                Arena arena = Arena.ofShared()) {
            return new MeasurePlace(host, arena).rates();
        } catch (IOException e) {
            throw new PlaceException("memory cannot be a place for tensors: " + e.getMessage(), e);
        }
    }

    private Rates rates() throws IOException {
        store(HALF);
        double store = rate(() -> store(0));
        double fetch = rate(() -> fetch(0));
        double[] beside = new double[1];
        double fetchBeside;
        try (ExecutorService lane = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Void> stores = CompletableFuture.runAsync(() -> beside[0] = uninterrupted(), lane);
            fetchBeside = rate(() -> fetch(HALF));
            stores.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PlaceException failed ? failed : e;
        }
        return new Rates(store, fetch, beside[0], fetchBeside, latency(), interference());
    }

    private double uninterrupted() {
        try {
            return rate(() -> store(0));
        } catch (IOException e) {
            throw new PlaceException("the place fails: " + e.getMessage(), e);
        }
    }

    private static double rate(Pass pass) throws IOException {
        long begin = System.nanoTime();
        pass.run();
        return HALF * 1e9 / (System.nanoTime() - begin);
    }

    private void store(long offset) throws IOException {
        for (long done = 0; done < HALF; done += PIECE) {
            place.store(outgoing, offset + done);
        }
    }

    private void fetch(long offset) throws IOException {
        for (long done = 0; done < HALF; done += PIECE) {
            place.fetch(offset + done, incoming);
        }
    }

    private long interference() throws IOException {
        long[] offsets = new long[2];
        return MeasureInterference.run(List.of(
                () -> {
                    place.store(outgoing, offsets[0]);
                    offsets[0] = (offsets[0] + PIECE) % HALF;
                    return PIECE;
                },
                () -> {
                    place.fetch(offsets[1], incoming);
                    offsets[1] = (offsets[1] + PIECE) % HALF;
                    return PIECE;
                }));
    }

    private long latency() throws IOException {
        long begin = System.nanoTime();
        for (int i = 0; i < SMALL_TRANSFERS; i++) {
            place.fetch(i * (2 * HALF / SMALL_TRANSFERS), incoming.asSlice(0, DiskPlace.BLOCK));
        }
        return (System.nanoTime() - begin) / SMALL_TRANSFERS;
    }
}
