package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Kernels that are wrong in one place are caught, and their correct twins are not. */
class ShimTest {
    private static final int THREADS = 64;
    private static final int GUARD = 256;

    /**
     * A pair of kernels.
     *
     * @param name of the kernels, without {@code _wrong} and {@code _right}
     * @param n elements in and out
     * @param shared bytes of dynamic shared memory
     * @param result element i of what the right one writes, for an input of 1, 2, 3, …
     * @param error part of the message if the shim itself must notice, else empty: the result differs
     */
    record Pair(String file, String name, int blocks, int n, int shared, IntToDoubleFunction result, String error) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Pair copy(String name, int blocks, int n, String error) {
        return new Pair("addresses", name, blocks, n, THREADS * Float.BYTES, i -> i + 1, error);
    }

    private static Pair reversal(String name, String error) {
        return new Pair("barriers", name, 1, THREADS, 0, i -> THREADS - i, error);
    }

    private static Pair warpSum(String name, String error) {
        return new Pair("exchanges", name, 1, THREADS, 0, i -> 32 * (i / 32 * 32) + 32 * 33 / 2, error);
    }

    private static Pair async(String name, String error) {
        return new Pair("exchanges", name, 1, THREADS, THREADS * Float.BYTES, i -> i + 1, error);
    }

    static final List<Pair> PAIRS = List.of(
            reversal("reverse", ""),
            new Pair("barriers", "rotate", 1, THREADS, 0, i -> (i + THREADS - 1) % THREADS + 1, ""),
            reversal("tail", "__syncthreads (reverse_wrong:34): this thread has ended"),
            reversal("apart", "(reverse_wrong:45): this thread waits here, others at reverse_wrong:43"),
            new Pair("barriers", "lanes", 1, THREADS, 0, i -> (THREADS - 1 - i ^ 1) + 1, ""),
            copy("end", 3, 501, ""),
            copy("stride", 2, 501, ""),
            copy("sum", 1, 501, ""),
            copy("far", 1, 501, "arena offset"),
            copy("packs", 1, 64, "misaligned access"),
            copy("registers", 1, 64, "index outside of an array"),
            copy("shared", 1, 64, "outside of its 256 bytes"),
            copy("unset", 1, 64, ""),
            copy("divided", 1, 64, "division by zero"),
            warpSum("warp", "__shfl_xor_sync (warp_wrong:8): lane"),
            warpSum("mask", "mask 0x000000ff"),
            warpSum("vote", "lane 7 of"),
            new Pair("exchanges", "handed", 1, THREADS, 0, i -> (i ^ 1) + 1, "reads what another thread wrote"),
            new Pair("exchanges", "places", 1, THREADS, 0, i -> (i ^ 1) + 1, "overwrites what another thread reads"),
            async("wait", ""),
            async("commit", "no cp_async_commit"),
            async("group", ""));

    private static final ShimLibrary LIBRARY = ShimLibrary.of(sources(), 1);

    private static List<KernelSource> sources() {
        List<KernelSource> sources = new ArrayList<>();
        for (String file : List.of("barriers", "addresses", "exchanges")) {
            String text = ShimSource.resource("kernels/" + file + ".cu");
            for (Pair pair : PAIRS) {
                for (String kernel : List.of(pair.name + "_wrong", pair.name + "_right")) {
                    if (pair.file.equals(file)) {
                        KernelEntry entry = new KernelEntry(
                                kernel,
                                file,
                                List.of(ParameterType.POINTER, ParameterType.POINTER, ParameterType.U32),
                                THREADS,
                                true,
                                "");
                        sources.add(new KernelSource(entry, List.of("ptx.cuh"), text));
                        text = "";
                    }
                }
            }
        }
        return sources;
    }

    @ParameterizedTest
    @FieldSource("PAIRS")
    void catchesTheWrongOne(Pair pair) {
        List<String> found = new ArrayList<>();
        for (ShimOrder order : orders()) {
            for (Poison poison : Poison.values()) {
                run(pair, "_wrong", order, poison).ifPresent(found::add);
            }
        }
        assertThat(found).isNotEmpty();
        if (!pair.error.isEmpty()) {
            assertThat(found)
                    .allSatisfy(message -> assertThat(message)
                            .startsWith(pair.name + "_wrong: block (")
                            .contains("thread (")
                            .contains(pair.error));
        }
    }

    @ParameterizedTest
    @FieldSource("PAIRS")
    void letsTheRightOnePass(Pair pair) {
        for (ShimOrder order : orders()) {
            for (Poison poison : Poison.values()) {
                assertThat(run(pair, "_right", order, poison)).isEmpty();
            }
        }
    }

    private static List<ShimOrder> orders() {
        return List.of(ShimOrder.FORWARD, ShimOrder.BACKWARD, ShimOrder.shuffled(1), ShimOrder.shuffled(2));
    }

    /** What is wrong, if anything is. */
    private static Optional<String> run(Pair pair, String suffix, ShimOrder order, Poison poison) {
        long bytes = ((long) pair.n * Float.BYTES + GUARD - 1) / GUARD * GUARD;
        long in = GUARD;
        long out = in + bytes + GUARD;
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment memory = LIBRARY.map(out + bytes + GUARD, owner);
            poison.fill(memory);
            for (int i = 0; i < pair.n; i++) {
                memory.set(ValueLayout.JAVA_FLOAT, in + (long) i * Float.BYTES, i + 1);
            }
            MemorySegment expected = owner.allocate(memory.byteSize(), GUARD).copyFrom(memory);
            for (int i = 0; i < pair.n; i++) {
                float value = (float) pair.result.applyAsDouble(i);
                expected.set(ValueLayout.JAVA_FLOAT, out + (long) i * Float.BYTES, value);
            }
            Launch launch = new Launch(
                    0, 0, Extent3.of(pair.blocks), Extent3.of(THREADS), pair.shared, List.of(out, in, (long) pair.n));
            LIBRARY.launch(pair.name + suffix, launch, memory, order, poison);
            long differs = memory.mismatch(expected);
            return differs < 0 ? Optional.empty() : Optional.of("byte " + differs + " differs");
        } catch (ShimException failed) {
            return Optional.of(failed.getMessage());
        }
    }
}
