package dev.remat.ir.op;

import static dev.remat.ir.op.BatchCase.FREE;
import static dev.remat.ir.op.BatchCase.ROWS;
import static dev.remat.ir.op.BatchCase.SUM;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule of every operation: what it gives, and what it must refuse. */
class BatchRolesTest {
    /** Operations that pass on any role, or that have neither operands nor a symbol. */
    private static final Set<Class<?>> NEVER_REFUSED = new LinkedHashSet<>(List.of(
            Contiguous.class, ResetSeed.class, StepSeed.class, StopGradient.class, Table.class, Transpose.class));

    static Stream<BatchCase> cases() {
        return Stream.concat(RowwiseBatchCases.all(), MixingBatchCases.all());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void givesOrRefuses(BatchCase given) {
        BatchOperands operands = given.given();
        if (given.reason().isEmpty()) {
            assertThat(operands.rolesOf(given.op())).isEqualTo(given.roles());
            return;
        }
        BatchRoleException refusal = catchThrowableOfType(BatchRoleException.class, () -> operands.rolesOf(given.op()));
        assertThat(refusal).hasMessage(given.reason());
        assertThat(refusal.mean()).isEqualTo(given.mean());
        given.mean().ifPresent(mean -> assertThat(operands.role(mean)).isEqualTo(BatchCase.MEAN));
    }

    @Test
    void everyForwardOperationHasCases() {
        Set<Class<?>> forward = new LinkedHashSet<>();
        Ops.ALL.forEach(family -> family.examples().stream()
                .filter(op -> !(op instanceof AfterLoss))
                .forEach(op -> forward.add(op.getClass())));
        Set<Class<?>> accepted = new LinkedHashSet<>();
        Set<Class<?>> refused = new LinkedHashSet<>(NEVER_REFUSED);
        cases().forEach(given ->
                (given.reason().isEmpty() ? accepted : refused).add(given.op().getClass()));
        assertThat(accepted).containsExactlyInAnyOrderElementsOf(forward);
        assertThat(refused).containsExactlyInAnyOrderElementsOf(forward);
    }

    @Test
    void whatFollowsTheLossIsNotAsked() {
        BatchOperands none = new BatchOperands(BatchCase.BATCH, List.of(), List.of(), List.of());
        for (OpFamily family : Ops.ALL) {
            for (Op op : family.examples()) {
                boolean backward =
                        op.mnemonic().endsWith("_grad") || op.mnemonic().endsWith("update");
                assertThat(!backward || op instanceof AfterLoss)
                        .as(op.mnemonic())
                        .isTrue();
                if (op instanceof AfterLoss) {
                    assertThatThrownBy(() -> none.rolesOf(op))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage(op.mnemonic() + " follows the loss and has no role in the batch");
                }
            }
        }
    }

    @Test
    void aMeanOverTargetsIsNoMeanOverRows() {
        List<TensorType> types = List.of(f32("B", 9), i64("B"));
        Op op = new CrossEntropy(0, -100);
        BatchOperands operands = new BatchOperands(BatchCase.BATCH, List.of(ROWS, ROWS), types, op.infer(types));
        assertThatThrownBy(() -> operands.rolesOf(op)).isInstanceOf(IllegalStateException.class);
    }

    /** With the refused operand computed beforehand the operation is asked again. */
    @Test
    void aMeanThatBecameFreeIsTaken() {
        Op op = new Binary(Binary.Kind.MUL);
        List<TensorType> types = List.of(f32(3), f32(3));
        BatchOperands means =
                new BatchOperands(BatchCase.BATCH, List.of(BatchCase.MEAN, BatchCase.MEAN), types, op.infer(types));
        int mean = catchThrowableOfType(BatchRoleException.class, () -> means.rolesOf(op))
                .mean()
                .orElseThrow();
        List<BatchRole> roles = new ArrayList<>(means.roles());
        roles.set(mean, FREE);
        assertThat(new BatchOperands(BatchCase.BATCH, roles, types, op.infer(types)).rolesOf(op))
                .containsExactly(BatchCase.MEAN);
    }

    @Test
    void operandsHaveRolesThatFitTheirShapes() {
        assertThatIllegalArgumentException().isThrownBy(() -> operand(FREE, f32("B")));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(SUM, f32(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(ROWS, f32(3)));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(ROWS, f32("T", "B")));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(ROWS, f32("B", "B")));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(ROWS, f32("B*B")));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(ROWS, f32("floordiv(B,2)")));
        assertThatIllegalArgumentException().isThrownBy(() -> operand(BatchCase.at(0, "T"), f32("2*B")));
        assertThat(operand(FREE, f32("floordiv(T,2)")).count()).isEqualTo(1);
        assertThat(operand(BatchCase.at(0, "T"), f32("2*B*T")).count()).isEqualTo(1);
    }

    private static BatchOperands operand(BatchRole role, TensorType type) {
        return new BatchOperands(BatchCase.BATCH, List.of(role), List.of(type), List.of());
    }
}
