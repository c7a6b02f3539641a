package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.sass.Cubin;
import dev.remat.codegen.cuda.sass.Encoding;
import dev.remat.codegen.cuda.sass.Instruction;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.fusion.FormFusionGroups;
import dev.remat.compiler.fusion.MaterializeViews;
import dev.remat.compiler.fusion.PlaceResults;
import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.GatherSmallKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.JoinReaders;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.text.GraphParser;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A step that runs once a micro-batch and adds up what it computes, from its graph to what is left in memory. */
class MicroBatchStepTest {
    private static final int ROWS = 6;
    private static final int COLUMNS = 4;
    private static final Graph GRAPH = GraphParser.parse("""
        input %x f32[6, 4]
        input %w f32[4, 5] parameter
        input %sum.w f32[4, 5] accumulator
        input %sum.b f32[1, 5] accumulator
        input %sum.loss f32[1, 1] accumulator
        input %sum.mean f32[1, 4] accumulator
        input %sum.variance f32[1, 4] accumulator
        input %k i64[] micro_batch
        %mean, %variance = norm_statistics{axes=[0], centered=true}(%x)
        %h = matmul(%x, %w)
        %y = gelu(%h)
        %z = exp(%y)
        %loss = reduce_sum{axes=[0, 1]}(%z)
        %dh = gelu_grad(%z, %h) backward
        %grad.b = reduce_sum{axes=[0]}(%dh) backward
        %b = accumulate(%sum.b, %grad.b, %k) update
        %grad.w = matmul{transpose_a=true}(%x, %dh) backward
        %all.w = accumulate(%sum.w, %grad.w, %k) update
        %all.loss = accumulate(%sum.loss, %loss, %k) update
        %m, %v = combine_statistics(%sum.mean, %sum.variance, %mean, %variance, %k) update
        output "loss" %all.loss
        """);

    private static final Map<ExecutionPlan, ShimPool> POOLS = new ConcurrentHashMap<>();

    static KernelProgram program(ExecutionPlan plan) {
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    /** What runs a plan. */
    enum Machine {
        CPU(new CpuTarget()),
        SHIM(new CudaTarget(Architecture.SM_80));

        final TargetModel target;

        Machine(TargetModel target) {
            this.target = target;
        }

        <R> R with(ExecutionPlan plan, Function<Executable, R> task) {
            return switch (this) {
                case CPU -> {
                    try (Executable executable = new CpuExecutable(plan, new CpuExecutable.Options(2, false))) {
                        yield task.apply(executable);
                    }
                }
                case SHIM -> {
                    KernelProgram program = program(plan);
                    yield POOLS.computeIfAbsent(plan, _ -> new ShimPool(program.kernels(), 1, KernelBuild.WATCHED))
                            .with(library -> {
                                try (Executable executable = new ShimExecutable(
                                        plan, program, library, ShimOrder.shuffled(3), Poison.QUIET)) {
                                    return task.apply(executable);
                                }
                            });
                }
            };
        }
    }

    private static ExecutionPlan plan(TargetModel target, boolean again) {
        return plan(GRAPH, target, again ? List.of("h", "y", "z") : List.of());
    }

    /** @param again values of the forward pass that are computed again for the backward pass */
    static ExecutionPlan plan(Graph graph, TargetModel target, List<String> again) {
        GraphVerifier.verify(graph);
        PlanningProblem planning = BuildProblem.run(
                FormFusionGroups.run(PlaceResults.run(MaterializeViews.run(graph, target), target), target),
                target,
                new RooflineCost(target.device()));
        List<Integer> steps = new ArrayList<>();
        List<Integer> forward = new ArrayList<>();
        for (int node = planning.residents(); node < planning.problem().nodeCount(); node++) {
            Role role = planning.problem().node(node).role();
            if (role == Role.BACKWARD) {
                steps.addAll(forward);
                forward.clear();
            }
            steps.add(node);
            if (role == Role.FORWARD && makes(planning, node, again)) {
                forward.add(node);
            }
        }
        OperatorSequence sequence = new OperatorSequence(
                "hand", steps.stream().mapToInt(Integer::intValue).toArray(), List.of());
        KernelGraph kernels = JoinReaders.run(
                GatherSmallKernels.run(FormKernels.run(InsertRecompute.run(planning, sequence), target), target),
                target);
        Gathered gathered = GatherKernels.run(kernels, PlanArena.run(kernels, target), target);
        ExecutionPlan plan = BuildExecutionPlan.run(gathered.kernels(), gathered.memory(), "00", target.name(), 7);
        ArenaChecker.check(plan, target.alignment());
        return plan;
    }

    private static boolean makes(PlanningProblem planning, int node, List<String> names) {
        Graph graph = planning.fused().graph();
        return planning.group(node).writes().stream()
                .anyMatch(write -> names.contains(graph.value(write).name()));
    }

    /** Rows around the number of the micro-batch. */
    private static Tensor data(int microBatch) {
        Random random = new Random(microBatch);
        Tensor x = Tensor.zeros(TensorType.of(DType.F32, ROWS, COLUMNS));
        Arrays.setAll(x.data(), i -> (float) (random.nextGaussian() / 2 + microBatch));
        return x;
    }

    /** Runs micro-batches, each by its number, on data; gives what the accumulators hold then. */
    private static SequencedMap<String, Tensor> run(Executable executable, int[] numbers, int[] batches) {
        ExecutionPlan plan = executable.plan();
        try (Arena scratch = Arena.ofConfined()) {
            for (ArenaTensor input : plan.inputs()) {
                switch (input.kind()) {
                    case ACCUMULATOR -> write(executable, input, Tensor.filled(input.type(), Double.NaN), scratch);
                    case PARAMETER -> {
                        Tensor w = Tensor.zeros(input.type());
                        Arrays.setAll(w.data(), i -> (float) Math.sin(i));
                        write(executable, input, w, scratch);
                    }
                    case DATA, MICRO_BATCH, SEED, STATE, STEP -> {}
                }
            }
            for (int i = 0; i < numbers.length; i++) {
                for (ArenaTensor input : plan.inputs()) {
                    if (input.kind() == InputKind.DATA) {
                        write(executable, input, data(batches[i]), scratch);
                    }
                }
                MemorySegment number = scratch.allocate(ValueLayout.JAVA_LONG);
                plan.stepInputs(1, numbers[i]).forEach((offset, value) -> {
                    number.set(ValueLayout.JAVA_LONG, 0, value);
                    executable.write(offset, number);
                });
                executable.run(1, numbers[i], 0, plan.steps().size());
            }
            SequencedMap<String, Tensor> sums = new LinkedHashMap<>();
            for (ArenaTensor input : plan.inputs()) {
                if (input.kind() == InputKind.ACCUMULATOR) {
                    MemorySegment bytes =
                            executable.read(input.offset(), input.type().bytes());
                    sums.put(input.name(), TensorBytes.decode(input.type(), bytes, 0));
                }
            }
            return sums;
        }
    }

    static void write(Executable executable, ArenaTensor input, Tensor tensor, Arena scratch) {
        MemorySegment bytes = scratch.allocate(input.type().bytes(), 64);
        TensorBytes.encode(tensor, bytes, 0);
        executable.write(input.offset(), bytes);
    }

    private static SequencedMap<String, Tensor> run(Machine machine, boolean again, int[] numbers, int... batches) {
        return machine.with(plan(machine.target, again), executable -> run(executable, numbers, batches));
    }

    @ParameterizedTest
    @EnumSource
    void addsUpInTheOrderOfMicroBatches(Machine machine) {
        SequencedMap<String, Tensor> first = run(machine, false, new int[] {0}, 0);
        SequencedMap<String, Tensor> second = run(machine, false, new int[] {0}, 1);
        SequencedMap<String, Tensor> both = run(machine, false, new int[] {0, 1}, 0, 1);
        for (String name : List.of("sum.w", "sum.b", "sum.loss")) {
            double[] sum = first.get(name).data().clone();
            Arrays.setAll(
                    sum,
                    i -> (float) first.get(name).data()[i]
                            + (float) second.get(name).data()[i]);
            assertThat(both.get(name).data()).as(name).isEqualTo(sum);
        }
        for (int column = 0; column < COLUMNS; column++) {
            double mean = 0;
            double squares = 0;
            for (int batch = 0; batch < 2; batch++) {
                for (int row = 0; row < ROWS; row++) {
                    mean += data(batch).at(row, column) / (2 * ROWS);
                    squares += Math.pow(data(batch).at(row, column), 2) / (2 * ROWS);
                }
            }
            assertThat(both.get("sum.mean").at(0, column)).isCloseTo(mean, within(1e-6));
            assertThat(both.get("sum.variance").at(0, column)).isCloseTo(squares - mean * mean, within(1e-5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesTheSameBitsWhereItComputesAgain(Machine machine) {
        assertThat(plan(machine.target, true).steps()).anyMatch(KernelStep::recomputed);
        assertThat(plan(machine.target, false).steps()).noneMatch(KernelStep::recomputed);
        int[] three = {0, 1, 2};
        SequencedMap<String, Tensor> kept = run(machine, false, three, three);
        run(machine, true, three, three)
                .forEach((name, sum) ->
                        assertThat(sum.data()).as(name).isEqualTo(kept.get(name).data()));
    }

    @ParameterizedTest
    @EnumSource
    void usesWhatWasInTheAccumulatorsBeforeAfterTheFirstMicroBatchAlone(Machine machine) {
        int[] first = {0};
        run(machine, false, first, 0)
                .forEach((name, sum) -> assertThat(sum.data()).as(name).doesNotContain(Double.NaN));
        int[] second = {1};
        run(machine, false, second, 0)
                .forEach((name, sum) -> assertThat(sum.data()).as(name).containsOnly(Double.NaN));
    }

    @ParameterizedTest
    @EnumSource
    void beginsAnewWithEveryStep(Machine machine) {
        int[] two = {0, 1};
        SequencedMap<String, Tensor> once = run(machine, false, two, two);
        run(machine, false, new int[] {0, 1, 2, 0, 1}, 2, 0, 1, 0, 1)
                .forEach((name, sum) ->
                        assertThat(sum.data()).as(name).isEqualTo(once.get(name).data()));
    }

    @Test
    void addsUpInOneLaunchOnGpus() {
        ExecutionPlan plan = plan(Machine.SHIM.target, false);
        KernelProgram program = program(plan);
        assertThat(plan.steps())
                .filteredOn(step -> step.body().instructions().getFirst().op() instanceof Accumulate)
                .hasSize(3);
        assertThat(program.launches())
                .filteredOn(launch ->
                        program.kernels().get(launch.kernel()).symbol().contains("accumulate_f32_many"))
                .hasSize(1);
    }

    @Test
    void movesSixteenBytesAtOnce() {
        Architecture architecture = Architecture.SM_90A;
        ExecutionPlan plan = plan(new CudaTarget(architecture), false);
        KernelProgram program = CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT);
        Map<Architecture, KernelProgram> programs = new LinkedHashMap<>();
        programs.put(architecture, program);
        CompiledProgram compiled = new CompileKernels(_ -> {}).run(programs).getFirst();
        String symbol = program.kernels().stream()
                .map(KernelSource::symbol)
                .filter(name -> name.contains("accumulate_f32_many"))
                .findFirst()
                .orElseThrow();
        List<Instruction> code = Cubin.of(compiled.cubin()).kernel(symbol, Encoding.of(architecture.label()));
        for (Opcode access : List.of(Opcode.LDG, Opcode.STG)) {
            assertThat(code)
                    .filteredOn(instruction -> instruction.opcode() == access && instruction.bytes() == 16)
                    .as("%s in %s", access, symbol)
                    .isNotEmpty();
        }
        assertThat(code)
                .as("memory of its own")
                .noneMatch(instruction -> instruction.opcode() == Opcode.LDL || instruction.opcode() == Opcode.STL);
    }
}
