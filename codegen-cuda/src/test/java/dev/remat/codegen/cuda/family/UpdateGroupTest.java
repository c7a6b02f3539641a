package dev.remat.codegen.cuda.family;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.CodegenOptions;
import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.KernelProgram;
import dev.remat.ir.DType;
import dev.remat.ir.Role;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpdateGroupTest {
    private static final long RATE = 0;

    private final List<Step> steps = new ArrayList<>();
    private long end = 256;

    private MemoryRead tensor(TensorType type) {
        MemoryRead read = new MemoryRead(0, end, type.bytes(), type.dtype(), StridedView.dense(type.shape()));
        end += type.bytes() + 255 & ~255L;
        return read;
    }

    private void step(Role role, Instruction instruction, List<MemoryRead> reads, long written) {
        MemoryWrite write = new MemoryWrite(1, "y", written, instruction.types().getFirst(), 0, 0);
        steps.add(new Step(
                "s",
                role,
                Location.NONE,
                false,
                List.of(instruction),
                reads,
                List.of(write),
                new ByteRange(0, 0),
                List.of()));
    }

    private UpdateGroupTest update(double decay, long elements) {
        TensorType type = TensorType.of(DType.F32, elements);
        MemoryRead parameter = tensor(type);
        MemoryRead rate = new MemoryRead(
                0,
                RATE,
                4,
                DType.F32,
                StridedView.dense(TensorType.scalar(DType.F32).shape()));
        List<Operand> operands =
                List.of(new Operand.FromMemory(0), new Operand.FromMemory(1), new Operand.FromMemory(2));
        step(
                Role.UPDATE,
                new Instruction(new SgdUpdate(0, 0, false, decay, false), operands, List.of(type)),
                List.of(parameter, tensor(type), rate),
                parameter.offset());
        return this;
    }

    private UpdateGroupTest other() {
        TensorType type = TensorType.of(DType.F32, 8);
        step(
                Role.BACKWARD,
                new Instruction(new Unary(Unary.Kind.EXP), List.of(new Operand.FromMemory(0)), List.of(type)),
                List.of(tensor(type)),
                tensor(type).offset());
        return this;
    }

    private KernelProgram program() {
        ExecutionPlan plan = new ExecutionPlan("test", "", "sm_80", 7, end, List.of(), steps, List.of());
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    private List<Integer> launchedSteps() {
        return program().launches().stream().map(Launch::step).toList();
    }

    @Test
    void updatesOneAfterAnotherAreOneLaunch() {
        update(0.5, 1000).update(0.5, 70).update(0.5, 4096);
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(program().launches().getFirst().grid().x())
                .as("4 elements a thread, 256 threads: 250, 17 and 1024 threads")
                .isEqualTo(1 + 1 + 4);
    }

    @Test
    void anotherStepBetweenOrAnotherRuleKeepsThemApart() {
        assertThat(update(0.5, 64).other().update(0.5, 64).launchedSteps()).containsExactly(0, 1, 2);
        assertThat(new UpdateGroupTest().update(0.5, 64).update(0.25, 64).launchedSteps())
                .containsExactly(0, 1);
    }

    @Test
    void groupsOfAnySizeShareOneKernel() {
        KernelProgram two = update(0.5, 64).update(0.5, 64).program();
        KernelProgram many = new UpdateGroupTest()
                .update(0.5, 8)
                .update(0.5, 999)
                .update(0.5, 3)
                .program();
        assertThat(many.kernels()).isEqualTo(two.kernels());
    }

    @Test
    void moreThanAKernelTakesAreSeveralLaunches() {
        for (int i = 0; i < UpdateGroup.MOST + 5; i++) {
            update(0.5, 16);
        }
        assertThat(launchedSteps()).containsExactly(0, UpdateGroup.MOST);
    }

    @Test
    void tensorsThatBeginOffTheGridStayAlone() {
        update(0.5, 64);
        end += 4;
        update(0.5, 64);
        assertThat(launchedSteps()).containsExactly(0, 1);
    }
}
