package dev.remat.codegen.cuda.family.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.StepFixture;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Contiguous;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransposeKernelsTest {
    /** A copy of a dense tensor whose axes were permuted. */
    private static String family(List<Integer> permutation, long... dims) {
        StridedView view = StridedView.dense(Shape.of(dims)).transpose(permutation);
        TensorType type = TensorType.of(
                DType.BF16, view.extents().stream().mapToLong(Long::longValue).toArray());
        StepFixture step = new StepFixture();
        step.write(step.apply(new Contiguous(), type, step.read(DType.BF16, view, type.bytes())));
        KernelProgram program = step.program(Architecture.SM_80, CodegenOptions.DEFAULT);
        assertThat(program.launches()).hasSize(1);
        return program.kernels().getFirst().entry().family();
    }

    @Test
    void farNeighboursGoThroughTiles() {
        assertThat(family(List.of(1, 0), 100, 200)).isEqualTo("transpose");
        assertThat(family(List.of(0, 2, 3, 1), 8, 64, 14, 14)).isEqualTo("transpose");
    }

    @Test
    void rowsThatStayWholeDoNot() {
        assertThat(family(List.of(0, 2, 1, 3), 8, 16, 12, 64)).isEqualTo("elementwise");
    }

    @Test
    void fewRowsDoNot() {
        assertThat(family(List.of(0, 2, 1), 8, 3, 224 * 224)).isEqualTo("elementwise");
        assertThat(family(List.of(0, 2, 1), 8, 224 * 224, 3)).isEqualTo("elementwise");
    }

    @Test
    void tilesLieBetweenTheFastestAxesOfBothSides() {
        CopyBox box = new CopyBox(
                List.of(new CopyBox.Axis(2, 6400, 6400), new CopyBox.Axis(80, 1, 80), new CopyBox.Axis(80, 80, 1)));
        assertThat(TransposeKernels.rowAxis(box)).contains(1);
        assertThat(TransposeKernels.rowAxis(
                        new CopyBox(List.of(new CopyBox.Axis(80, 2, 80), new CopyBox.Axis(80, 160, 1)))))
                .isEmpty();
    }
}
