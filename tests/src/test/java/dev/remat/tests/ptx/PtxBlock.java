package dev.remat.tests.ptx;

import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.Launch;
import dev.remat.tests.ptx.PtxScalars.Scalar;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** One block of a launch: its threads in warps, its shared memory, and the arena. */
public final class PtxBlock {
    /** Where pointers of the arena begin. */
    private static final long ARENA = 1L << 40;

    private static final long NULL_SLOT = -1;

    private record Place(long x, long y, long z) {}

    private final PtxKernel kernel;
    private final Launch launch;
    private final PtxMemory global;
    private final PtxMemory shared;
    private final Place place;
    private final SequencedMap<String, Long> parameters = new LinkedHashMap<>();
    private final Map<String, Scalar> scalars = new LinkedHashMap<>();

    private PtxBlock(PtxKernel kernel, Launch launch, List<Boolean> pointers, PtxMemory arena, Place place) {
        this.kernel = kernel;
        this.launch = launch;
        this.place = place;
        global = arena;
        byte[] bytes = new byte[kernel.staticBytes() + launch.sharedBytes()];
        Arrays.fill(bytes, (byte) 0xff);
        shared = PtxMemory.inPlace("shared memory", MemorySegment.ofArray(bytes), 0);
        int i = 0;
        for (String name : kernel.parameters().keySet()) {
            long slot = launch.arguments().get(i);
            parameters.put(name, !pointers.get(i) ? slot : slot == NULL_SLOT ? 0 : ARENA + slot);
            i++;
        }
    }

    /** An arena whose bytes stay as they are; what is written is kept aside. */
    public static PtxMemory arena(MemorySegment bytes) {
        return PtxMemory.aside("arena", bytes, ARENA);
    }

    /**
     * Runs one block to its end.
     *
     * @param pointers which arguments are offsets in the arena
     * @param number of the block in its grid, x running fastest
     * @throws PtxException if a thread does what none may, or an instruction is not known
     */
    public static void run(PtxKernel kernel, Launch launch, List<Boolean> pointers, PtxMemory arena, long number) {
        Extent3 grid = launch.grid();
        Place place = new Place(number % grid.x(), number / grid.x() % grid.y(), number / grid.x() / grid.y());
        new PtxBlock(kernel, launch, pointers, arena, place).run();
    }

    private void run() {
        Extent3 extent = launch.block();
        int threads = extent.x() * extent.y() * extent.z();
        List<PtxWarp> warps = new ArrayList<>();
        for (int first = 0; first < threads; first += 32) {
            warps.add(new PtxWarp(this, first, threads));
        }
        while (true) {
            warps.forEach(PtxWarp::run);
            if (warps.stream().allMatch(PtxWarp::hasEnded)) {
                return;
            }
            if (!warps.stream().allMatch(PtxWarp::waitsWhole)) {
                throw new PtxException(kernel.name() + ": not all threads of block " + place() + " come to a barrier");
            }
            warps.forEach(PtxWarp::passBarrier);
        }
    }

    PtxKernel kernel() {
        return kernel;
    }

    PtxMemory shared() {
        return shared;
    }

    PtxMemory global() {
        return global;
    }

    String place() {
        return "(%d,%d,%d)".formatted(place.x(), place.y(), place.z());
    }

    PtxMemory memory(PtxInstruction instruction) {
        if (instruction.has("shared")) {
            return shared;
        }
        if (instruction.has("global")) {
            return global;
        }
        throw PtxScalars.unknown(instruction);
    }

    Scalar scalar(PtxInstruction instruction) {
        return scalars.computeIfAbsent(instruction.opcode(), any -> PtxScalars.of(instruction));
    }

    long parameter(String name) {
        Long value = parameters.get(name);
        if (value == null) {
            throw new PtxException("no parameter " + name);
        }
        return value;
    }

    long sharedAddress(String name) {
        Integer address = kernel.shared().get(name);
        if (address == null) {
            throw new PtxException("no array " + name + " in shared memory");
        }
        return address;
    }

    long special(String name, int thread) {
        Extent3 extent = launch.block();
        return switch (name) {
            case "tid.x" -> thread % extent.x();
            case "tid.y" -> thread / extent.x() % extent.y();
            case "tid.z" -> thread / extent.x() / extent.y();
            case "ntid.x" -> extent.x();
            case "ntid.y" -> extent.y();
            case "ntid.z" -> extent.z();
            case "ctaid.x" -> place.x();
            case "ctaid.y" -> place.y();
            case "ctaid.z" -> place.z();
            case "nctaid.x" -> launch.grid().x();
            case "nctaid.y" -> launch.grid().y();
            case "nctaid.z" -> launch.grid().z();
            default -> throw new PtxException("no register %" + name);
        };
    }
}
