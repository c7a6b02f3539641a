package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.TestModels;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.Update;
import dev.remat.ir.text.GraphParser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArenaCheckerTest {
    private static final long ALIGNMENT = 256;
    private static final TensorType SQUARE = TensorType.of(DType.F32, 8, 8);
    private static final StridedView DENSE = StridedView.dense(SQUARE.shape());

    private final ExecutionPlan plan =
            TestModels.compile(TestModels.mlp(5, 16, 8), "sqrt").plan();
    private final PlanEdits edits = new PlanEdits(plan);

    private static void refuse(ExecutionPlan bad, String what, Object... arguments) {
        assertThatThrownBy(() -> ArenaChecker.check(bad, ALIGNMENT))
                .as(what, arguments)
                .isInstanceOf(PlanViolationException.class);
    }

    @Test
    void acceptsAPlanAsCompiled() {
        assertThat(plan.steps().stream().anyMatch(KernelStep::recomputed)).isTrue();
        assertThatCode(() -> ArenaChecker.check(plan, ALIGNMENT)).doesNotThrowAnyException();
    }

    @Test
    void refusesToMissAnyStepButUpdates() {
        for (int i = 0; i < plan.steps().size(); i++) {
            if (plan.steps().get(i).role() != Role.UPDATE) {
                refuse(edits.without(i), "without step %d", i);
            }
        }
    }

    @Test
    void refusesAnyStepTwice() {
        for (int i = 0; i < plan.steps().size(); i++) {
            List<KernelStep> steps = new ArrayList<>(plan.steps());
            steps.add(i, steps.get(i));
            refuse(edits.steps(steps), "step %d twice", i);
        }
    }

    @Test
    void refusesTwoOffsetsSwapped() {
        List<MemoryWrite> writes = edits.writes();
        int swapped = 0;
        for (int i = 1; i < writes.size(); i++) {
            MemoryWrite a = writes.get(i - 1);
            MemoryWrite b = writes.get(i);
            if (a.offset() != b.offset() && a.bytes() == b.bytes() && edits.lastReader(a.value()) >= 0) {
                ExecutionPlan first =
                        edits.step(edits.writer(a.value()), s -> PlanEdits.withResult(s, a.value(), b.offset()));
                ExecutionPlan both = new PlanEdits(first)
                        .step(edits.writer(b.value()), s -> PlanEdits.withResult(s, b.value(), a.offset()));
                refuse(both, "%s and %s swapped", a.name(), b.name());
                swapped++;
            }
        }
        assertThat(swapped).isGreaterThan(5);
    }

    @Test
    void refusesTwoLiveTensorsAtOneOffset() {
        int moved = 0;
        for (MemoryWrite a : edits.writes()) {
            for (MemoryWrite b : edits.writes()) {
                int writer = edits.writer(a.value());
                boolean between = edits.writer(b.value()) < writer && writer < edits.lastReader(b.value());
                boolean updates = plan.steps().get(writer).role() == Role.UPDATE;
                if (between && !updates && a.bytes() > 0 && edits.lastReader(a.value()) > writer) {
                    refuse(edits.placed(a.value(), b.offset()), "%s moved onto %s", a.name(), b.name());
                    moved++;
                }
            }
        }
        assertThat(moved).isGreaterThan(20);
    }

    @Test
    void refusesIntervalsThatEndTooEarly() {
        int shortened = 0;
        for (int i = 1; i < plan.steps().size(); i++) {
            for (MemoryRead read : plan.steps().get(i).reads()) {
                ByteRange range = new ByteRange(read.offset(), read.bytes());
                refuse(
                        edits.step(i - 1, s -> PlanEdits.withFreed(s, List.of(range))),
                        "what step %d reads freed before it",
                        i);
                shortened++;
            }
        }
        assertThat(shortened).isGreaterThan(50);
    }

    @Test
    void refusesUpdatesBeforeTheLastReader() {
        int moved = 0;
        for (int i = 0; i < plan.steps().size(); i++) {
            if (plan.steps().get(i).body().instructions().getLast().op() instanceof Update) {
                int parameter = plan.steps().get(i).reads().getFirst().value();
                for (int reader = 0; reader < i; reader++) {
                    int value = parameter;
                    if (plan.steps().get(reader).reads().stream().anyMatch(r -> r.value() == value)) {
                        refuse(edits.moved(i, reader), "update %d before step %d", i, reader);
                        moved++;
                    }
                }
            }
        }
        assertThat(moved).isGreaterThan(5);
    }

    @Test
    void refusesWorkspacesOverWhatIsLive() {
        for (int i = 0; i < plan.steps().size(); i++) {
            for (MemoryRead read : plan.steps().get(i).reads()) {
                ByteRange range = new ByteRange(read.offset(), 256);
                refuse(edits.step(i, s -> PlanEdits.withWorkspace(s, range)), "workspace of %d over an operand", i);
            }
        }
        ByteRange everything = new ByteRange(0, plan.arenaBytes());
        refuse(edits.step(0, s -> PlanEdits.withWorkspace(s, everything)), "workspace over everything");
    }

    @Test
    void refusesWhatLeavesTheArena() {
        refuse(edits.arenaBytes(plan.arenaBytes() - 1), "a smaller arena");
        assertThatCode(() -> ArenaChecker.check(edits.arenaBytes(plan.arenaBytes() + 1), ALIGNMENT))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesOffsetsOutOfLine() {
        long aside = plan.arenaBytes();
        int value = plan.steps().getFirst().writes().getFirst().value();
        ExecutionPlan larger = edits.arenaBytes(2 * aside);
        assertThatCode(() -> ArenaChecker.check(new PlanEdits(larger).placed(value, aside), ALIGNMENT))
                .doesNotThrowAnyException();
        refuse(new PlanEdits(larger).placed(value, aside + 128), "half an alignment");
    }

    @Test
    void saysWhereAndWhat() {
        int reader =
                edits.lastReader(plan.steps().getFirst().writes().getFirst().value());
        MemoryRead lost = plan.steps().get(reader).reads().getFirst();
        ByteRange range = new ByteRange(lost.offset(), lost.bytes());
        PlanViolationException e = catchThrowableOfType(
                PlanViolationException.class,
                () -> ArenaChecker.check(edits.step(reader - 1, s -> PlanEdits.withFreed(s, List.of(range)))));
        assertThat(e.step()).isEqualTo(reader);
        assertThat(e.range()).isEqualTo(range);
        assertThat(e).hasMessageContaining("step " + reader).hasMessageContaining("mlp.model:");
    }

    /** {@code y = op(x)}, y in bytes from {@code to} on; x is data in bytes 0 to 256. */
    private static ExecutionPlan single(Op op, StridedView view, long to, int operands) {
        Location location = new Location("hand.model", 1, 1);
        ArenaTensor x = new ArenaTensor(0, "x", SQUARE, InputKind.DATA, Initializer.ZEROS, 0, location);
        KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, location);
        Operand read = step.read(new MemoryRead(0, 0, SQUARE.bytes(), DType.F32, view));
        step.write(1, "y", to, step.add(op, List.of(SQUARE), Collections.nCopies(operands, read)));
        PlanOutput output = new PlanOutput("loss", 1, SQUARE, to, 0);
        return new ExecutionPlan("Hand", "00", "cpu", 0, 1024, List.of(x), List.of(step.build()), List.of(output));
    }

    @Test
    void letsElementwiseStepsComputeInPlace() {
        ArenaChecker.check(single(new Unary(Unary.Kind.EXP), DENSE, 0, 1), ALIGNMENT);
    }

    @Test
    void refusesElementwiseStepsAskewInPlace() {
        refuse(single(new Unary(Unary.Kind.EXP), DENSE.transpose(List.of(1, 0)), 0, 1), "transposed in place");
        ArenaChecker.check(single(new Unary(Unary.Kind.EXP), DENSE.transpose(List.of(1, 0)), 256, 1), ALIGNMENT);
        assertThatThrownBy(() -> ArenaChecker.check(single(new Unary(Unary.Kind.EXP), DENSE, 128, 1)))
                .as("half over the operand")
                .isInstanceOf(PlanViolationException.class);
    }

    @Test
    void refusesOtherStepsInPlace() {
        refuse(single(new MatMul(false, false), DENSE, 0, 2), "a product over its operand");
        ArenaChecker.check(single(new MatMul(false, false), DENSE, 256, 2), ALIGNMENT);
        MatMul sum = new MatMul(true, false, true, 16);
        refuse(single(sum, DENSE, 0, 3), "a sum of which it is a factor, too");
        ArenaChecker.check(single(sum, DENSE, 256, 3), ALIGNMENT);
    }

    /** Two results of a kernel in one buffer of two squares, side by side in rows of 16. */
    private static ExecutionPlan shared(long second, long bytes, long offset) {
        Location location = new Location("hand.model", 1, 1);
        ArenaTensor x = new ArenaTensor(0, "x", SQUARE, InputKind.DATA, Initializer.ZEROS, 0, location);
        KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, location);
        Operand read = step.read(MemoryRead.dense(0, 0, SQUARE));
        for (long start : new long[] {0, second}) {
            Operand.FromInstruction made =
                    step.add(new MatMul(start == 0, false), List.of(SQUARE), List.of(read, read));
            StridedView view = new StridedView(start, DENSE.extents(), List.of(16L, 1L));
            long at = start == 0 ? 256 : offset;
            step.write(new MemoryWrite(1, "y", at, bytes, SQUARE, view, made.instruction(), 0));
        }
        TensorType rows = TensorType.of(DType.F32, 8, 16);
        PlanOutput output = new PlanOutput("loss", 1, rows, 256, 0);
        return new ExecutionPlan("Hand", "00", "cpu", 0, 4096, List.of(x), List.of(step.build()), List.of(output));
    }

    @Test
    void letsResultsShareABufferThatTheyFill() {
        ArenaChecker.check(shared(8, 512, 256), ALIGNMENT);
        refuse(shared(4, 512, 256), "results that overlap");
        refuse(shared(9, 512, 256), "a result that leaves its buffer");
        refuse(shared(8, 1024, 256), "a buffer half of which nobody writes");
        refuse(shared(8, 512, 1024), "one buffer at two places");
    }

    @Test
    void refusesReadsPastTheirBuffer() {
        StridedView later = new StridedView(1, DENSE.extents(), DENSE.strides());
        refuse(single(new Unary(Unary.Kind.EXP), later, 256, 1), "one element too far");
    }

    @Test
    void refusesTypesThatTheOperationDoesNotGive() {
        StridedView half = StridedView.dense(Shape.of(8, 4));
        refuse(single(new Unary(Unary.Kind.EXP), half, 256, 1), "half an operand, a whole result");
    }

    /** A plan whose last kernel makes y of what is added up. */
    private static ExecutionPlan addingUp() {
        KernelGraph kernels = Kernels.of(GraphParser.parse("""
            input %x f32[8, 8]
            input %sum f32[8, 8] accumulator
            input %k i64[] micro_batch
            %g = softmax(%x)
            %total = accumulate(%sum, %g, %k) update
            %y = exp(%total)
            output %y
            """));
        return BuildExecutionPlan.run(kernels, PlanArena.run(kernels, Kernels.TARGET), "00", "test", 0);
    }

    @Test
    void wantsWhatIsAddedUpToStay() {
        ExecutionPlan sums = addingUp();
        ArenaChecker.check(sums, ALIGNMENT);
        long sum = sums.inputs().get(1).offset();
        int y = sums.steps().getLast().writes().getFirst().value();
        refuse(new PlanEdits(sums).placed(y, sum), "y over the sum");
        refuse(
                new PlanEdits(sums).step(2, s -> PlanEdits.withFreed(s, List.of(new ByteRange(sum, 256)))),
                "the sum freed");
        refuse(new PlanEdits(sums).without(1), "nothing added, but read");
        int total = sums.steps().get(1).writes().getFirst().value();
        refuse(new PlanEdits(sums).placed(total, sums.outputs().getFirst().offset()), "added up elsewhere");
    }
}
