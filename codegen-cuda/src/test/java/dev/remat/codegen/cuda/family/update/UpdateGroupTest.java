package dev.remat.codegen.cuda.family.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpdateGroupTest {
    private final List<KernelStep> steps = new ArrayList<>();
    private final SequentialArena arena = new SequentialArena(256);
    private final MemoryRead rate = tensor(TensorType.scalar(DType.F32));
    /** Bytes from where tensors should begin to where they do. */
    private long askew;

    private MemoryRead tensor(TensorType type) {
        return MemoryRead.dense(0, arena.place(type.bytes() + askew) + askew, type);
    }

    private void step(Role role, Op op, List<MemoryRead> reads, long written) {
        KernelStepBuilder step = new KernelStepBuilder("s", role, Location.NONE);
        List<Operand> operands = new ArrayList<>();
        reads.forEach(read -> operands.add(step.read(read)));
        TensorType type = reads.getFirst().type();
        steps.add(step.write(1, "y", written, step.add(op, List.of(type), operands))
                .build());
    }

    private UpdateGroupTest update(double decay, long elements) {
        TensorType type = TensorType.of(DType.F32, elements);
        MemoryRead parameter = tensor(type);
        step(Role.UPDATE, decaying(decay), List.of(parameter, tensor(type), rate), parameter.offset());
        return this;
    }

    private static ElementwiseUpdate decaying(double decay) {
        return ElementwiseUpdate.of("sgd", 0, "[mul p " + decay + ", add t0 g, mul x2 t1, sub p t2]", "[t3]");
    }

    private UpdateGroupTest other() {
        TensorType type = TensorType.of(DType.F32, 8);
        step(
                Role.BACKWARD,
                new Unary(Unary.Kind.EXP),
                List.of(tensor(type)),
                tensor(type).offset());
        return this;
    }

    private KernelProgram program() {
        ExecutionPlan plan = new ExecutionPlan("test", "", "sm_80", 7, arena.bytes(), List.of(), steps, List.of());
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
    void updatesOnOneConditionAreOneLaunch() {
        MemoryRead flag = tensor(TensorType.scalar(DType.BOOL));
        conditional(flag).conditional(flag);
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(program().kernels().getFirst().symbol()).contains("if_many");
        conditional(tensor(TensorType.scalar(DType.BOOL)));
        assertThat(launchedSteps()).containsExactly(0, 2);
        update(0.5, 64);
        assertThat(launchedSteps()).containsExactly(0, 2, 3);
    }

    private UpdateGroupTest conditional(MemoryRead flag) {
        TensorType type = TensorType.of(DType.F32, 64);
        MemoryRead parameter = tensor(type);
        step(
                Role.UPDATE,
                new ConditionalUpdate(decaying(0.5)),
                List.of(parameter, tensor(type), rate, flag),
                parameter.offset());
        return this;
    }

    private UpdateGroupTest sum(MemoryRead accumulator, MemoryRead value, MemoryRead microBatch) {
        step(Role.UPDATE, new Accumulate(), List.of(accumulator, value, microBatch), accumulator.offset());
        return this;
    }

    @Test
    void sumsOverMicroBatchesAreOneLaunch() {
        TensorType type = TensorType.of(DType.F32, 3000);
        MemoryRead number = tensor(TensorType.scalar(DType.I64));
        MemoryRead first = tensor(type);
        sum(first, tensor(type), number).sum(tensor(type), tensor(type), number);
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(program().launches().getFirst().grid().x())
                .as("4 elements a thread, 256 threads: 750 each")
                .isEqualTo(3 + 3);
        sum(tensor(type), first, number);
        assertThat(launchedSteps()).as("what another adds up is read").containsExactly(0, 2);
        sum(tensor(type.with(DType.F64)), tensor(type.with(DType.F64)), number);
        assertThat(launchedSteps()).as("another dtype").containsExactly(0, 2, 3);
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
        for (int i = 0; i < ManyTensors.MOST + 5; i++) {
            update(0.5, 16);
        }
        assertThat(launchedSteps()).containsExactly(0, ManyTensors.MOST);
    }

    @Test
    void tensorsThatBeginOffTheGridStayAlone() {
        update(0.5, 64);
        askew = 4;
        update(0.5, 64);
        assertThat(launchedSteps()).containsExactly(0, 1);
    }
}
