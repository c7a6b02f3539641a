package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.StageMessages;
import dev.remat.ir.execution.StageMessages.Kind;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.target.RooflineCost;
import dev.remat.tests.cuda.CProgram.Run;
import dev.remat.tests.promises.TrialRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stages without Java, each an artifact, whose messages somebody else moves: the bits of the step that is not cut. */
@Tag("slow")
class CAbiStagesTest {
    private static final int STEPS = 3;
    private static final int MICRO_BATCHES = 4;
    private static final String SETTINGS = "B=8,T=8,vocab=60,width=32,depth=2,heads=2,context=8";

    private final CudaTarget target = new CudaTarget(Architecture.SM_80);
    private final RooflineCost costs = new RooflineCost(target.device());
    private final Compiler compiler = new Compiler(target, costs);

    @TempDir
    Path folder;

    /** Whose norm of all gradients is added up over stages, and whose dropout draws for each micro-batch. */
    private static ElaboratedModel model() throws IOException {
        String text = TrialRun.sample("gpt").replace("clip_norm = 1.0", "clip_norm = 0.05");
        assertThat(text).contains("clip_norm = 0.05");
        return TrialRun.cut(text, SETTINGS, Purpose.TRAIN, MICRO_BATCHES, DType.F32);
    }

    private static KernelProgram generate(ExecutionPlan plan) {
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    private List<ExecutionPlan> stages(Staging staging, String strategy) throws IOException {
        CompileOptions options = CompileOptions.defaults().withStrategy(strategy);
        return new CompileStages(compiler, target, costs)
                .run(model(), options, staging)
                .plans()
                .stages();
    }

    @Test
    void stagesThatSomebodyElseJoinsLeaveTheBitsOfOne() throws IOException {
        List<List<ExecutionPlan>> sets = List.of(
                stages(new Staging(2, Schedule.ONE_F_ONE_B), "keep-all"),
                stages(new Staging(3, Schedule.ZERO_BUBBLE), "pipe-always"));
        assertThat(sets.getFirst())
                .allMatch(plan -> plan.steps().stream()
                        .anyMatch(step -> step.body().instructions().getFirst().op() instanceof ChunkSquares));
        ExecutionPlan alone = compiler.compile(
                        model(), CompileOptions.defaults().withStrategy("keep-all"))
                .plan();
        KernelProgram whole = generate(alone);
        List<KernelSource> sources = new ArrayList<>(whole.kernels());
        sets.forEach(set -> set.forEach(plan -> sources.addAll(generate(plan).kernels())));
        Path kernels = TestDriver.compile(sources, folder.resolve("kernels"));
        Path recording = folder.resolve("recording");
        try (ShimExecutable executable = new ShimExecutable(
                alone, whole, ShimLibrary.load(kernels, whole.kernels()), ShimOrder.FORWARD, Poison.ONES)) {
            Recording.write(executable, STEPS, recording);
        }
        for (List<ExecutionPlan> set : sets) {
            run(set, kernels, recording);
        }
    }

    private void run(List<ExecutionPlan> set, Path kernels, Path recording) throws IOException {
        List<String> libraries = new ArrayList<>();
        CProgram first = null;
        for (int stage = 0; stage < set.size(); stage++) {
            Path own = Files.createDirectories(folder.resolve(set.size() + "-" + stage));
            ExecutionPlan plan = set.get(stage);
            CProgram program = CProgram.ofStage(plan, generate(plan), List.of(Architecture.SM_80), own);
            first = first == null ? program : first;
            libraries.add(program.compileLibrary("stage.so").toString());
            libraries.add(program.artifact().toString());
        }
        Path source = Files.writeString(folder.resolve("run_stages.cc"), ShimSource.resource("driver/run_stages.cc"));
        first.compileAlone(source, "run_stages");
        for (String when : List.of("early", "late")) {
            List<String> words = new ArrayList<>(List.of(recording.toString(), when));
            words.addAll(libraries);
            Run run = first.runAlone("run_stages", kernels, Map.of(), words);
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(run.out()).endsWith(" equal, 0 differ\n");
        }
    }

    /** Ends of a message have one number and as many bytes; each begins before it has to have ended. */
    @Test
    void messagesAreToldWithWhereTheyLie() throws IOException {
        List<ExecutionPlan> set = stages(new Staging(2, Schedule.ONE_F_ONE_B), "keep-all");
        StageMessages first = StageMessages.of(set.get(0));
        StageMessages second = StageMessages.of(set.get(1));
        assertThat(first.ends()).hasSameSizeAs(second.ends()).isNotEmpty();
        for (StageMessages.End end : first.ends()) {
            assertThat(end.stage()).isOne();
            assertThat(end.range().end()).isLessThanOrEqualTo(set.get(0).arenaBytes());
            assertThat(second.ends())
                    .filteredOn(other -> other.number() == end.number())
                    .singleElement()
                    .satisfies(other -> {
                        assertThat(other.sends()).isNotEqualTo(end.sends());
                        assertThat(other.name()).isEqualTo(end.name());
                        assertThat(other.range().bytes()).isEqualTo(end.range().bytes());
                    });
        }
        for (StageMessages each : List.of(first, second)) {
            assertThat(each.stops())
                    .filteredOn(stop -> stop.kind() == Kind.UPDATES)
                    .hasSize(1);
            for (int message = 0; message < each.ends().size(); message++) {
                int own = message;
                assertThat(each.stops())
                        .filteredOn(stop -> stop.message() == own)
                        .extracting(StageMessages.Stop::kind)
                        .containsExactly(Kind.BEGINS, Kind.ENDS);
            }
        }
        ExecutionPlan alone = compiler.compile(
                        model(), CompileOptions.defaults().withStrategy("keep-all"))
                .plan();
        assertThat(StageMessages.of(alone).isEmpty()).isTrue();
        assertThat(StageMessages.of(alone).stops()).isEmpty();
    }
}
