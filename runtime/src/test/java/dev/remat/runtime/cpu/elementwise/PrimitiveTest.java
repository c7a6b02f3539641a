package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.Primitive.Form;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PrimitiveTest {
    /** What is said to be a function of real numbers can be computed as one, and nothing else. */
    @ParameterizedTest
    @EnumSource
    void functionsOfRealNumbersAreThoseThatSayIt(Primitive primitive) {
        List<Integer> operands = IntStream.range(0, primitive.arity()).boxed().toList();
        EltwiseProgram.Instruction instruction =
                new EltwiseProgram.Instruction(primitive, DType.F64, operands, 0.25, 0.75);
        if (primitive.form() == Form.UNARY) {
            assertThat(primitive.arity()).isEqualTo(1);
            assertThatCode(() -> DoubleFunctions.unary(instruction, 0.5)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> DoubleFunctions.unary(instruction, 0.5))
                    .hasMessage("not a function of one f64: " + primitive);
        }
        if (primitive.form() == Form.BINARY) {
            assertThat(primitive.arity()).isEqualTo(2);
            assertThatCode(() -> DoubleFunctions.binary(primitive, 0.5, 0.25)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> DoubleFunctions.binary(primitive, 0.5, 0.25))
                    .hasMessage("not a function of two f64: " + primitive);
        }
        if (primitive.isComparison()) {
            assertThatCode(() -> DoubleFunctions.compare(primitive, 0.5, 0.25)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> DoubleFunctions.compare(primitive, 0.5, 0.25))
                    .hasMessage("not a comparison: " + primitive);
        }
    }
}
