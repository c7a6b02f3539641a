package dev.remat.tests.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.op.Draw;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.PieceCase;
import dev.remat.tests.steps.PieceCase.Kind;
import dev.remat.tests.steps.SingleStep;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pieces of a batch draw what the whole batch draws at the same rows, bit for bit. */
@Tag("slow")
class DrawnPiecesTest {
    private static final List<DType> DTYPES = List.of(DType.F32, DType.BF16, DType.F64);
    private static final List<Integer> PIECES = List.of(1, 2, 3, 4, 8);

    private static Tensor run(StepSample sample, int microBatch) {
        SingleStep step = SingleStep.of(sample, new CpuTarget());
        try (CpuExecutable executable = new CpuExecutable(step.plan(), new CpuExecutable.Options(2, false))) {
            return step.run(executable, microBatch).getFirst();
        }
    }

    private static void check(PieceCase drawn) {
        List<Tensor> pieces = new ArrayList<>();
        List<Tensor> named = new ArrayList<>();
        for (int k = 0; k < drawn.rows().pieces(); k++) {
            pieces.add(run(drawn.piece(k), k));
            named.add(run(drawn.named(k), 0));
        }
        double[] whole = run(drawn.whole(), 0).data();
        assertThat(drawn.together(pieces)).as("%s", drawn).isEqualTo(whole);
        assertThat(drawn.together(named)).as("%s, by name", drawn).isEqualTo(whole);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"PRODUCT"},
            mode = EnumSource.Mode.EXCLUDE)
    void togetherTheyAreTheWhole(Kind kind) {
        for (DType dtype : DTYPES) {
            for (int pieces : PIECES) {
                for (long block : List.of(1, 3, 4, 6, 20)) {
                    check(PieceCase.of(kind, dtype, 5, block, pieces));
                }
            }
            // Runs that end within what a thread computes at once, and longer ones.
            check(PieceCase.of(kind, dtype, 7, 300, 3));
            check(PieceCase.of(kind, dtype, 1, 4099, 2));
            check(PieceCase.of(kind, dtype, 3, 5000, 2));
        }
    }

    /** A micro-batch whose number nobody tells draws what the first one does. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"UNIFORM", "NORMAL", "INTEGER"})
    void eachDrawsOtherNumbers(Kind kind) {
        PieceCase drawn = PieceCase.of(kind, DType.F32, 5, 20, 3);
        double[] first = run(drawn.piece(0), 0).data();
        assertThat(run(drawn.piece(1), 1).data()).isNotEqualTo(first);
        assertThat(run(drawn.piece(2), 2).data()).isNotEqualTo(first);
        assertThat(run(drawn.piece(1), 0).data()).isEqualTo(first);
    }

    /** Which micro-batch is run does not matter to a piece that is named. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"DROPOUT", "NORMAL"})
    void aNamedPieceIsThatOneInEveryMicroBatch(Kind kind) {
        PieceCase drawn = PieceCase.of(kind, DType.F32, 5, 20, 3);
        double[] second = run(drawn.piece(1), 1).data();
        assertThat(run(drawn.named(1), 0).data()).isEqualTo(second);
        assertThat(run(drawn.named(1), 2).data()).isEqualTo(second);
    }

    @ParameterizedTest
    @EnumSource(
            value = Draw.Kind.class,
            names = {"UNIFORM", "NORMAL"})
    void severalPiecesDrawInOneKernel(Draw.Kind distribution) {
        PieceCase drawn = PieceCase.of(Kind.valueOf(distribution.name()), DType.F32, 5, 6, 3);
        StepSample first = drawn.named(0);
        StepSample second = drawn.named(1);
        assertThat(run(drawn.difference(distribution), 2).data())
                .isEqualTo(PieceCase.difference(run(first, 2), run(second, 2)));
    }

    @Test
    void masksDiffer() {
        PieceCase drawn = PieceCase.of(Kind.DROPOUT, DType.F32, 5, 20, 3);
        boolean[][] kept = new boolean[3][];
        for (int k = 0; k < 3; k++) {
            kept[k] = mask(run(drawn.piece(k), k));
        }
        assertThat(kept[1]).isNotEqualTo(kept[0]);
        assertThat(kept[2]).isNotEqualTo(kept[0]).isNotEqualTo(kept[1]);
        assertThat(mask(run(drawn.piece(1), 0))).isEqualTo(kept[0]);
    }

    private static boolean[] mask(Tensor dropped) {
        boolean[] kept = new boolean[dropped.data().length];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = dropped.data()[i] != 0;
        }
        return kept;
    }

    /** The gradient drops what the forward drops, in every piece. */
    @Test
    void gradientsUseTheMaskOfTheirPiece() {
        for (int k = 0; k < 3; k++) {
            double[] forward = run(
                            PieceCase.of(Kind.DROPOUT, DType.F32, 5, 6, 3).piece(k), k)
                    .data();
            double[] gradient = run(
                            PieceCase.of(Kind.DROPOUT_GRADIENT, DType.F32, 5, 6, 3)
                                    .piece(k),
                            k)
                    .data();
            assertThat(gradient).isEqualTo(forward);
            assertThat(Arrays.stream(forward).filter(x -> x == 0).count()).isBetween(5L, 25L);
        }
    }
}
