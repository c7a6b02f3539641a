package dev.remat.compiler.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.remat.compiler.HandGraph;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.Kernels;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class BuildExecutionPlanTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Binary MUL = new Binary(Binary.Kind.MUL);

    private static ExecutionPlan plan(HandGraph graph) {
        KernelGraph kernels = Kernels.of(graph.build());
        MemoryPlan memory = PlanArena.run(kernels, Kernels.TARGET);
        return BuildExecutionPlan.run(kernels, memory, "ab", "test", 7);
    }

    @Test
    void keepsValuesInsideAStepOutOfMemory() {
        ExecutionPlan plan = plan(new HandGraph()
                .data("x", 4, 4)
                .node("a", EXP, "x")
                .node("b", MUL, "a", "x")
                .output("loss", "b"));
        KernelStep step = plan.steps().getFirst();
        assertThat(step.body().instructions())
                .extracting(Instruction::operands)
                .containsExactly(
                        List.of(new Operand.FromMemory(0)),
                        List.of(new Operand.FromInstruction(0, 0), new Operand.FromMemory(0)));
        assertThat(step.reads()).hasSize(1);
        assertThat(step.writes())
                .extracting(MemoryWrite::name, MemoryWrite::instruction)
                .containsExactly(tuple("b", 1));
    }

    @Test
    void readsViewsOfBuffers() {
        ExecutionPlan plan = plan(new HandGraph()
                .data("x", 4, 4)
                .node("row", new Slice(Shape.of(2, 0).dims(), Shape.of(1, 4).dims()), "x")
                .node("y", EXP, "row")
                .output("loss", "y"));
        MemoryRead read = plan.steps().getFirst().reads().getFirst();
        assertThat(read.bytes()).isEqualTo(64);
        assertThat(read.view()).isEqualTo(new StridedView(8, List.of(1L, 4L), List.of(4L, 1L)));
        assertThat(read.address() - read.offset()).isEqualTo(32);
    }

    @Test
    void inlinesConstantsAndTheirViews() {
        ExecutionPlan plan = plan(new HandGraph()
                .data("x", 4, 4)
                .node("c", new Constant(0.5, TensorType.of(DType.F32, 1, 4)))
                .node("wide", new Broadcast(Shape.of(4, 4)), "c")
                .node("y", MUL, "x", "wide")
                .output("loss", "y"));
        KernelStep step = plan.steps().getFirst();
        assertThat(step.reads()).hasSize(1);
        assertThat(step.body().instructions())
                .extracting(Instruction::op)
                .containsExactly(new Constant(0.5, TensorType.of(DType.F32, 4, 4)), MUL);
    }

    @Test
    void foldsSeedsToOrdinals() {
        ExecutionPlan plan = plan(new HandGraph()
                .data("x", 4, 4)
                .node("seed", new StepSeed())
                .node("a s1", new Dropout(0.5, 0), "x", "seed")
                .node("b", new Softmax(), "a")
                .node("c s2", new Dropout(0.5, 1), "b", "s1")
                .output("loss", "c"));
        assertThat(plan.steps().stream()
                        .flatMap(step -> step.body().instructions().stream())
                        .flatMap(instruction -> instruction.operands().stream())
                        .filter(Operand.FromSeed.class::isInstance))
                .containsExactly(new Operand.FromSeed(0), new Operand.FromSeed(1));
    }

    @Test
    void writesUpdatesOverTheirParameter() {
        ExecutionPlan plan = plan(new HandGraph()
                .parameter("w", 4, 4)
                .data("rate", TensorType.scalar(DType.F32))
                .node("g", new Softmax(), "w")
                .as(Role.UPDATE)
                .node("next", ElementwiseUpdate.of("sgd", 0, "[mul x2 g, sub p t0]", "[t1]"), "w", "g", "rate")
                .output("loss", "g"));
        MemoryWrite write = plan.steps().getLast().writes().getFirst();
        assertThat(write.offset()).isEqualTo(plan.input("w").offset());
        assertThat(write.value()).isNotEqualTo(plan.input("w").value());
    }

    @Test
    void saysWhenOutputsAreReady() {
        ExecutionPlan plan = plan(new HandGraph()
                .data("x", 4, 4)
                .node("a", new Softmax(), "x")
                .node("b", new Softmax(), "a")
                .output("loss", "a")
                .output("more", "b")
                .output("same", "x"));
        assertThat(plan.output("loss").readyAfter()).isZero();
        assertThat(plan.output("more").readyAfter()).isEqualTo(1);
        assertThat(plan.output("same").readyAfter()).isEqualTo(-1);
    }

    @Test
    void compilesTheSamePlanAgain() {
        String first = ExecutionPlanJson.hash(
                TestModels.compile(TestModels.mlp(4, 16, 8), "sqrt").plan());
        assertThat(ExecutionPlanJson.hash(
                        TestModels.compile(TestModels.mlp(4, 16, 8), "sqrt").plan()))
                .isEqualTo(first);
        assertThat(ExecutionPlanJson.hash(
                        TestModels.compile(TestModels.mlp(4, 16, 8), "keep-all").plan()))
                .isNotEqualTo(first);
    }
}
