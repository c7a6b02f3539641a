package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.text.GraphParser;
import dev.remat.runtime.Executable;
import dev.remat.tests.cuda.MicroBatchStepTest.Machine;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Micro-batches that one graph holds, each by its number, leave the bits that they leave where it is run for each. */
@Tag("slow")
class SeveralMicroBatchesTest {
    private static final int COUNT = 3;
    private static final long STEP = 5;

    private static final String INPUTS = """
        input %w f32[4, 5] parameter
        input %sum.w f32[4, 5] accumulator
        input %sum.loss f32[1, 1] accumulator
        input %sum.mean f32[1, 4] accumulator
        input %sum.variance f32[1, 4] accumulator
        input %step i64[] step
        input %seed i64[] seed
        """;

    private static final String FORWARD = """
        %mean@, %variance@ = norm_statistics{axes=[0], centered=true}(%x@)
        %first@ = step_seed()
        %h@ = matmul(%x@, %w)
        %y@, %second@ = dropout{p=0.5, ordinal=0, block=30, pieces=3PIECE}(%h@, %first@)
        %noise@, %third@ = draw_normal{ordinal=1, dtype=f32, shape=[6, 5], block=30, pieces=3PIECE}(%second@)
        %n@ = add(%y@, %noise@)
        %z@ = exp(%n@)
        %loss@ = reduce_sum{axes=[0, 1]}(%z@)
        """;

    private static final String BACKWARD = """
        %dh@ = dropout_grad{p=0.5, ordinal=0, block=30, pieces=3PIECE}(%z@, %first@) backward
        %grad.w@ = matmul{transpose_a=true}(%x@, %dh@) backward
        %all.w@ = accumulate(WEIGHTS, %grad.w@, %k@) update
        %all.loss@ = accumulate(LOSS, %loss@, %k@) update
        %m@, %v@ = combine_statistics(MEAN, VARIANCE, %mean@, %variance@, %k@) update
        """;

    /** Is run for each micro-batch. */
    private static final Graph ROUND = GraphParser.parse("input %x f32[6, 4]\ninput %k i64[] micro_batch\n"
            + INPUTS
            + FORWARD.replace("@", "").replace("PIECE", "")
            + begun(BACKWARD).replace("@", "").replace("PIECE", "")
            + "output \"loss\" %all.loss\n");

    /** All micro-batches pass through a layer before the next. */
    private static final Graph ALL = GraphParser.parse(all());

    private static String all() {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < COUNT; k++) {
            text.append("input %x").append(k).append(" f32[6, 4]\n");
        }
        text.append(INPUTS);
        for (int k = 0; k < COUNT; k++) {
            text.append("%k@ = constant{value=@.0, dtype=i64, shape=[]}()\n".replace("@", "" + k));
        }
        for (String line : FORWARD.split("(?<=\n)")) {
            for (int k = 0; k < COUNT; k++) {
                text.append(named(line, k));
            }
        }
        for (String line : BACKWARD.split("(?<=\n)")) {
            for (int k = 0; k < COUNT; k++) {
                text.append(named(k == 0 ? begun(line) : continued(line, k - 1), k));
            }
        }
        return text.append("output \"loss\" %all.loss")
                .append(COUNT - 1)
                .append("\n")
                .toString();
    }

    private static String named(String line, int k) {
        return line.replace("@", "" + k).replace("PIECE", ", piece=" + k);
    }

    private static String begun(String line) {
        return line.replace("WEIGHTS", "%sum.w")
                .replace("LOSS", "%sum.loss")
                .replace("MEAN", "%sum.mean")
                .replace("VARIANCE", "%sum.variance");
    }

    /** Adds to what micro-batch {@code k} has left. */
    private static String continued(String line, int k) {
        return line.replace("WEIGHTS", "%all.w" + k)
                .replace("LOSS", "%all.loss" + k)
                .replace("MEAN", "%m" + k)
                .replace("VARIANCE", "%v" + k);
    }

    private static ExecutionPlan inRounds(Machine machine) {
        return MicroBatchStepTest.plan(ROUND, machine.target, List.of());
    }

    /** @param again whether the forward pass of every micro-batch is computed again */
    private static ExecutionPlan together(Machine machine, boolean again) {
        List<String> names = IntStream.range(0, again ? COUNT : 0)
                .boxed()
                .flatMap(k -> List.of("h" + k, "y" + k, "n" + k, "z" + k).stream())
                .toList();
        return MicroBatchStepTest.plan(ALL, machine.target, names);
    }

    private static Tensor data(int microBatch) {
        Random random = new Random(microBatch);
        Tensor x = Tensor.zeros(TensorType.of(DType.F32, 6, 4));
        Arrays.setAll(x.data(), i -> (float) (random.nextGaussian() / 2 + microBatch));
        return x;
    }

    private static void begin(Executable executable, Arena scratch) {
        for (ArenaTensor input : executable.plan().inputs()) {
            if (input.kind() == InputKind.ACCUMULATOR) {
                MicroBatchStepTest.write(executable, input, Tensor.filled(input.type(), Double.NaN), scratch);
            } else if (input.kind() == InputKind.PARAMETER) {
                Tensor w = Tensor.zeros(input.type());
                Arrays.setAll(w.data(), i -> (float) Math.sin(i));
                MicroBatchStepTest.write(executable, input, w, scratch);
            }
        }
    }

    private static void run(Executable executable, int microBatch, Arena scratch) {
        ExecutionPlan plan = executable.plan();
        MemorySegment number = scratch.allocate(ValueLayout.JAVA_LONG);
        plan.stepInputs(STEP, microBatch).forEach((offset, value) -> {
            number.set(ValueLayout.JAVA_LONG, 0, value);
            executable.write(offset, number);
        });
        executable.run(STEP, microBatch, 0, plan.steps().size());
    }

    private static SequencedMap<String, Tensor> sums(Executable executable) {
        SequencedMap<String, Tensor> sums = new LinkedHashMap<>();
        for (ArenaTensor input : executable.plan().inputs()) {
            if (input.kind() == InputKind.ACCUMULATOR) {
                MemorySegment bytes =
                        executable.read(input.offset(), input.type().bytes());
                sums.put(input.name(), TensorBytes.decode(input.type(), bytes, 0));
            }
        }
        return sums;
    }

    private static SequencedMap<String, Tensor> runInRounds(Machine machine) {
        return machine.with(inRounds(machine), executable -> {
            try (Arena scratch = Arena.ofConfined()) {
                begin(executable, scratch);
                for (int k = 0; k < COUNT; k++) {
                    MicroBatchStepTest.write(executable, executable.plan().input("x"), data(k), scratch);
                    run(executable, k, scratch);
                }
                return sums(executable);
            }
        });
    }

    /** @param microBatch number that the executable is told */
    private static SequencedMap<String, Tensor> runTogether(Machine machine, boolean again, int microBatch) {
        return machine.with(together(machine, again), executable -> {
            try (Arena scratch = Arena.ofConfined()) {
                begin(executable, scratch);
                for (int k = 0; k < COUNT; k++) {
                    MicroBatchStepTest.write(executable, executable.plan().input("x" + k), data(k), scratch);
                }
                run(executable, microBatch, scratch);
                return sums(executable);
            }
        });
    }

    private static void expectSame(SequencedMap<String, Tensor> actual, SequencedMap<String, Tensor> expected) {
        assertThat(actual.sequencedKeySet()).containsExactlyElementsOf(expected.sequencedKeySet());
        expected.forEach((name, sum) -> {
            assertThat(sum.data()).as(name).doesNotContain(Double.NaN);
            assertThat(actual.get(name).data()).as(name).isEqualTo(sum.data());
        });
    }

    @ParameterizedTest
    @EnumSource
    void leaveWhatRoundsLeave(Machine machine) {
        SequencedMap<String, Tensor> inRounds = runInRounds(machine);
        expectSame(runTogether(machine, false, 0), inRounds);
        expectSame(runTogether(machine, false, 2), inRounds);
    }

    @ParameterizedTest
    @EnumSource
    void leaveItWhereTheyAreComputedAgain(Machine machine) {
        assertThat(together(machine, true).steps())
                .filteredOn(KernelStep::recomputed)
                .hasSizeGreaterThanOrEqualTo(COUNT);
        expectSame(runTogether(machine, true, 0), runInRounds(machine));
    }

    /** What a micro-batch adds to must be there, and of the one before. */
    @ParameterizedTest
    @EnumSource
    void addUpInNoOtherOrder(Machine machine) {
        ExecutionPlan plan = together(machine, false);
        List<Integer> updates = IntStream.range(0, plan.steps().size())
                .filter(i -> isUpdate(plan.steps().get(i)))
                .boxed()
                .toList();
        assertThat(updates).hasSize(3 * COUNT);
        for (int one : updates) {
            for (int other : updates) {
                if (one < other && sum(plan, one) == sum(plan, other)) {
                    List<KernelStep> steps = new ArrayList<>(plan.steps());
                    Collections.swap(steps, one, other);
                    assertThatThrownBy(() -> ArenaChecker.check(with(plan, steps)))
                            .isInstanceOf(PlanViolationException.class)
                            .hasMessageContaining("is read before it is computed");
                }
            }
        }
    }

    private static boolean isUpdate(KernelStep step) {
        return step.body().instructions().getLast().op() instanceof MicroBatchUpdate;
    }

    /** Where the sum lies that a step adds to. */
    private static long sum(ExecutionPlan plan, int step) {
        return plan.steps().get(step).writes().getFirst().offset();
    }

    private static ExecutionPlan with(ExecutionPlan plan, List<KernelStep> steps) {
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                plan.inputs(),
                steps,
                plan.outputs());
    }

    @Test
    void shareTheirKernels() {
        KernelProgram inRounds = MicroBatchStepTest.program(inRounds(Machine.SHIM));
        KernelProgram together = MicroBatchStepTest.program(together(Machine.SHIM, false));
        assertThat(draws(together)).hasSameSizeAs(draws(inRounds)).isNotEmpty();
        assertThat(together.launches().stream()
                        .filter(launch -> isDraw(together.kernels().get(launch.kernel()))))
                .hasSize(COUNT * draws(together).size());
    }

    private static List<KernelSource> draws(KernelProgram program) {
        return program.kernels().stream()
                .filter(SeveralMicroBatchesTest::isDraw)
                .toList();
    }

    private static boolean isDraw(KernelSource kernel) {
        return kernel.headers().contains("pieces.cuh");
    }
}
