package dev.remat.ir.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelBodyTest {
    private static final TensorType SQUARE = TensorType.of(DType.F32, 4, 4);
    private static final Unary EXP = new Unary(Unary.Kind.EXP);

    private final KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, Location.NONE);
    private final Operand x = step.read(MemoryRead.dense(0, 0, SQUARE));

    private KernelBody written(Operand.FromInstruction last) {
        return step.write(9, "y", 4096, last).body();
    }

    @Test
    void elementwiseInstructionsAreAnElementwiseKernel() {
        Operand one = step.add(new Constant(1, SQUARE), List.of(SQUARE), List.of());
        KernelBody body = written(step.add(new Binary(Binary.Kind.ADD), List.of(SQUARE), List.of(x, one)));
        assertThat(body.form()).isEqualTo(KernelBody.Form.ELEMENTWISE);
        assertThat(body.anchor()).isZero();
    }

    @Test
    void whatIsNotElementwiseIsTheAnchorWhateverStandsAroundIt() {
        Operand product = step.add(new MatMul(false, false), List.of(SQUARE), List.of(x, x));
        Operand two = step.add(new Constant(2, SQUARE), List.of(SQUARE), List.of());
        KernelBody body = written(step.add(new Binary(Binary.Kind.MUL), List.of(SQUARE), List.of(product, two)));
        assertThat(body.form()).isEqualTo(KernelBody.Form.ANCHORED);
        assertThat(body.anchor()).isZero();
    }

    @Test
    void aReductionTakesWhatLeadsToIt() {
        TensorType sums = TensorType.of(DType.F32, 4);
        Operand e = step.add(EXP, List.of(SQUARE), List.of(x));
        KernelBody body = written(step.add(new Reduce(Reduce.Kind.SUM, List.of(1)), List.of(sums), List.of(e)));
        assertThat(body.form()).isEqualTo(KernelBody.Form.REDUCTION);
        assertThat(body.anchor()).isEqualTo(1);
    }

    @Test
    void countsABufferOnceHoweverItIsRead() {
        MemoryRead turned = new MemoryRead(
                0, 0, 64, DType.F32, StridedView.dense(SQUARE.shape()).transpose(List.of(1, 0)));
        Operand other = step.read(turned);
        KernelBody body = written(step.add(new Binary(Binary.Kind.ADD), List.of(SQUARE), List.of(x, other)));
        assertThat(body.buffers()).containsExactly(64L);
        assertThat(body.reads()).extracting(KernelBody.Read::buffer).containsExactly(0, 0);
        assertThat(body.bytes()).as("16 floats read, 16 written").isEqualTo(128);
        assertThat(body.flops()).isEqualTo(16);
    }

    @Test
    void countsTwoBuffersTwice() {
        Operand other = step.read(MemoryRead.dense(1, 64, SQUARE));
        KernelBody body = written(step.add(new Binary(Binary.Kind.ADD), List.of(SQUARE), List.of(x, other)));
        assertThat(body.reads()).extracting(KernelBody.Read::buffer).containsExactly(0, 1);
        assertThat(body.bytes()).isEqualTo(192);
    }

    @Test
    void readsNoBufferThatItDoesNotHave() {
        KernelBody.Read read = new KernelBody.Read(1, DType.F32, StridedView.dense(SQUARE.shape()));
        assertThatThrownBy(() -> new KernelBody(List.of(), List.of(64L), List.of(read), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static KernelBody body(List<Operand> operands, TensorType made, int written) {
        return new KernelBody(
                List.of(new Instruction(EXP, operands, List.of(made))),
                List.of(64L),
                List.of(new KernelBody.Read(0, DType.F32, StridedView.dense(SQUARE.shape()))),
                List.of(KernelBody.Write.dense("y", SQUARE, written, 0)));
    }

    private static void isRefused(KernelBody body, String problem) {
        assertThatThrownBy(body::verify)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void verifiesThatInstructionsTakeWhatThereIs() {
        body(List.of(new Operand.FromMemory(0)), SQUARE, 0).verify();
        isRefused(body(List.of(new Operand.FromMemory(1)), SQUARE, 0), "instruction 0");
        isRefused(body(List.of(new Operand.FromMemory(-1)), SQUARE, 0), "instruction 0");
        isRefused(body(List.of(new Operand.FromInstruction(0, 0)), SQUARE, 0), "instruction 0");
        isRefused(body(List.of(), SQUARE, 0), "instruction 0");
        isRefused(body(List.of(new Operand.FromMemory(0)), SQUARE, 1), "does not give y");
    }

    @Test
    void verifiesThatResultsHaveTheShapeOfTheirPlace() {
        KernelBody made = body(List.of(new Operand.FromMemory(0)), SQUARE, 0);
        StridedView flat = StridedView.dense(Shape.of(16));
        KernelBody.Write write = new KernelBody.Write("y", SQUARE, 0, 0, flat, SQUARE.bytes());
        isRefused(new KernelBody(made.instructions(), made.buffers(), made.reads(), List.of(write)), "is laid out as");
    }

    @Test
    void verifiesThatTypesAreThoseThatOperationsInfer() {
        isRefused(body(List.of(new Operand.FromMemory(0)), TensorType.of(DType.F32, 16), 0), "instruction 0");
        isRefused(body(List.of(new Operand.FromSeed(0)), SQUARE, 0), "instruction 0");
    }
}
