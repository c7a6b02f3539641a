package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.DrawnRows;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.PieceCase;
import dev.remat.tests.steps.PieceCase.Kind;
import dev.remat.tests.steps.SingleStep;
import dev.remat.tests.steps.StepSample;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Kernels for pieces of a batch draw what those for the whole batch draw at the same rows, bit for bit. */
@Tag("slow")
class PieceKernelsTest {
    /**
     * The kernels of a whole and of its pieces.
     *
     * @param named those of pieces that are named
     */
    private record Kernels(ShimStep whole, List<ShimStep> pieces, List<ShimStep> named) {
        static Kernels of(PieceCase drawn) {
            List<ShimStep> pieces = new ArrayList<>();
            List<ShimStep> named = new ArrayList<>();
            for (int k = 0; k < drawn.rows().pieces(); k++) {
                pieces.add(step(drawn.piece(k)));
                named.add(step(drawn.named(k)));
            }
            return new Kernels(step(drawn.whole()), pieces, named);
        }

        List<ShimStep> all() {
            return Stream.of(List.of(whole), pieces, named)
                    .flatMap(List::stream)
                    .toList();
        }

        static ShimStep step(StepSample sample) {
            return ShimStep.of(sample, Architecture.SM_80, CodegenOptions.DEFAULT);
        }
    }

    private static final Map<PieceCase, Kernels> KERNELS = new LinkedHashMap<>();
    private static final int UNITS = 4;
    private static final int ELEMENTS = 32;
    /** Bytes for a number an element. */
    private static final long ROOM = ELEMENTS * Long.BYTES;

    static {
        for (Kind kind : Kind.values()) {
            for (DType dtype : List.of(DType.F32, DType.BF16, DType.F64)) {
                cases(kind, dtype).forEach(drawn -> KERNELS.put(drawn, Kernels.of(drawn)));
            }
        }
    }

    static final List<PieceCase> CASES = List.copyOf(KERNELS.keySet());

    /** In blocks that vectors fit, and that they straddle. */
    private static final List<PieceCase> SEVERAL =
            List.of(PieceCase.of(Kind.NORMAL, DType.F32, 5, 8, 3), PieceCase.of(Kind.NORMAL, DType.F32, 5, 6, 3));

    private static final List<Draw.Kind> DISTRIBUTIONS = List.of(Draw.Kind.UNIFORM, Draw.Kind.NORMAL);

    private static final ShimLibrary LIBRARY = ShimLibrary.of(sources(), UNITS);

    /** Blocks that vectors of four and of eight fit, straddle, and that are shorter than one word's counter counts. */
    private static List<PieceCase> cases(Kind kind, DType dtype) {
        if (kind == Kind.PRODUCT) {
            return List.of(PieceCase.of(kind, dtype, 3, 16, 2), PieceCase.of(kind, dtype, 1, 40, 3));
        }
        return List.of(
                PieceCase.of(kind, dtype, 8, 1, 3),
                PieceCase.of(kind, dtype, 4, 3, 4),
                PieceCase.of(kind, dtype, 4, 6, 8),
                PieceCase.of(kind, dtype, 6, 4, 3),
                PieceCase.of(kind, dtype, 2, 20, 2),
                PieceCase.of(kind, dtype, 3, 16, 1),
                PieceCase.of(kind, dtype, 5, 400, 2));
    }

    private static List<KernelSource> sources() {
        Map<String, KernelSource> bySymbol = new LinkedHashMap<>();
        List<ShimStep> steps = new ArrayList<>();
        KERNELS.values().forEach(kernels -> steps.addAll(kernels.all()));
        for (PieceCase drawn : SEVERAL) {
            for (Draw.Kind distribution : DISTRIBUTIONS) {
                steps.add(Kernels.step(drawn.difference(distribution)));
                steps.add(Kernels.step(of(distribution, drawn).named(0)));
            }
        }
        steps.forEach(step -> step.program().kernels().forEach(kernel -> bySymbol.put(kernel.symbol(), kernel)));
        List<KernelSource> all = new ArrayList<>(bySymbol.values());
        all.add(far("far_by_four", ShimSource.resource("kernels/pieces.cu")));
        all.add(far("far_by_one", ""));
        return all;
    }

    private static KernelSource far(String name, String text) {
        List<ParameterType> parameters = List.of(
                ParameterType.POINTER,
                ParameterType.POINTER,
                ParameterType.I64,
                ParameterType.U32,
                ParameterType.POINTER,
                ParameterType.POINTER);
        KernelEntry entry = new KernelEntry(name, "pieces", parameters, ELEMENTS, true, "");
        return new KernelSource(entry, List.of("pieces.cuh"), text);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void togetherTheyAreTheWhole(PieceCase drawn) {
        Kernels kernels = KERNELS.get(drawn);
        List<Tensor> results = new ArrayList<>();
        List<Tensor> first = new ArrayList<>();
        for (int k = 0; k < kernels.pieces.size(); k++) {
            results.add(kernels.pieces.get(k).run(LIBRARY, k).getFirst());
            first.add(kernels.pieces.get(k).run(LIBRARY, 0).getFirst());
        }
        double[] whole = kernels.whole.run(LIBRARY, 0).getFirst().data();
        assertThat(drawn.together(results)).isEqualTo(whole);
        if (kernels.pieces.size() > 1) {
            assertThat(drawn.together(first))
                    .as("all drawn as the first micro-batch")
                    .isNotEqualTo(whole);
        }
    }

    /** One kernel does for all pieces that are named, in whatever micro-batch they are run. */
    @ParameterizedTest
    @FieldSource("CASES")
    void namedPiecesAreTheSame(PieceCase drawn) {
        Kernels kernels = KERNELS.get(drawn);
        List<Tensor> results = new ArrayList<>();
        for (ShimStep step : kernels.named) {
            assertThat(step.program().kernels())
                    .isEqualTo(kernels.named.getFirst().program().kernels());
            results.add(step.run(LIBRARY, 0).getFirst());
        }
        assertThat(drawn.together(results))
                .isEqualTo(kernels.whole.run(LIBRARY, 0).getFirst().data());
    }

    @ParameterizedTest
    @FieldSource("DISTRIBUTIONS")
    void severalPiecesDrawInOneKernel(Draw.Kind distribution) {
        for (PieceCase drawn : SEVERAL) {
            PieceCase alone = of(distribution, drawn);
            List<Tensor> pieces = IntStream.range(0, 2)
                    .mapToObj(k -> Kernels.step(alone.named(k)).run(LIBRARY, 2).getFirst())
                    .toList();
            Tensor difference =
                    Kernels.step(drawn.difference(distribution)).run(LIBRARY, 2).getFirst();
            assertThat(difference.data()).isEqualTo(PieceCase.difference(pieces.get(0), pieces.get(1)));
        }
    }

    private static PieceCase of(Draw.Kind distribution, PieceCase drawn) {
        return new PieceCase(Kind.valueOf(distribution.name()), drawn.dtype(), drawn.runs(), drawn.rows());
    }

    /** Pieces whose elements no 32 bits count. */
    @ParameterizedTest
    @CsvSource({"far_by_four, 137438953480, 3", "far_by_four, 12, 3", "far_by_one, 137438953481, 2", "far_by_one, 3, 5"
    })
    void elementsMayBeFarApart(String kernel, long block, int pieces) {
        DrawnRows rows = new DrawnRows(Dim.of(block), pieces);
        RandomBits bits = new RandomBits(SingleStep.SEED, (int) SingleStep.NUMBER);
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment memory = LIBRARY.map(4 * ROOM, owner);
            Poison.ONES.fill(memory);
            for (int i = 0; i < ELEMENTS; i++) {
                memory.setAtIndex(ValueLayout.JAVA_LONG, i, element(i));
            }
            MemorySegment source = memory.asSlice(ROOM);
            source.setAtIndex(ValueLayout.JAVA_LONG, 0, SingleStep.SEED);
            source.setAtIndex(ValueLayout.JAVA_LONG, 1, SingleStep.NUMBER);
            source.setAtIndex(ValueLayout.JAVA_LONG, 2, pieces - 1);
            List<Long> slots = List.of(0L, ROOM, block, pieces - 1L, 2 * ROOM, 3 * ROOM);
            Launch launch = new Launch(0, 0, Extent3.of(1), Extent3.of(ELEMENTS), 0, slots);
            LIBRARY.launch(kernel, launch, memory, ShimOrder.FORWARD, Poison.ONES);
            for (int i = 0; i < ELEMENTS; i++) {
                long whole = rows.whole(element(i), pieces - 1);
                int[] words = new int[4];
                bits.block(whole / 4, 3, words);
                assertThat(memory.asSlice(2 * ROOM).getAtIndex(ValueLayout.JAVA_LONG, i))
                        .isEqualTo(whole)
                        .isGreaterThan(1L << 33);
                assertThat(memory.asSlice(3 * ROOM).getAtIndex(ValueLayout.JAVA_LONG, i))
                        .isEqualTo(Integer.toUnsignedLong(words[(int) (whole % 4)]));
            }
        }
    }

    private static long element(int i) {
        return (1L << 33) + ((long) i << 36) + 5L * i;
    }
}
