package dev.remat.tests.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.SharedRunFolder;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.process.ProcessExecutable;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessStoppedException;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.ranks.Transport;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingState;
import dev.remat.tests.promises.OneBadRow;
import dev.remat.tests.promises.TrialRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stages that are processes, on several ranks too, leave what one process leaves: the state, and its file. */
@Timeout(120)
class StageProcessesTest {
    private static final int PIECES = OneBadRow.MICRO_BATCHES;
    private static final String SETTINGS = "B=8,T=5,vocab=420,width=40,depth=2,heads=2,context=8";

    @TempDir
    Path folder;

    private static ElaboratedModel gpt() throws IOException {
        return TrialRun.cut(TrialRun.sample("gpt"), SETTINGS, Purpose.TRAIN, PIECES, DType.F32);
    }

    private static ElaboratedModel oneBadRow() {
        return TrialRun.cut(OneBadRow.MODEL, "B=8", Purpose.TRAIN, PIECES, DType.F32);
    }

    private static PlanSet plan(ElaboratedModel model, ProcessGrid grid, Schedule schedule, Sharding sharding) {
        CpuTarget target = new CpuTarget();
        RooflineCost costs = new RooflineCost(target.device());
        return new CompileStages(new Compiler(target, costs), target, costs)
                .run(
                        model,
                        CompileOptions.defaults().onRanks(grid.ranks()).with(sharding),
                        new Staging(grid.stages(), schedule))
                .plans();
    }

    private static PlanSet plan(ElaboratedModel model, ProcessGrid grid) {
        return plan(model, grid, Schedule.ONE_F_ONE_B, grid.ranks() == 1 ? Sharding.NONE : Sharding.OPTIMIZER);
    }

    private static TimedExecutable stage(ExecutionPlan plan, Transport transport) {
        return new CpuExecutable(plan, new CpuExecutable.Options(1, true, Lanes.Options.NONE, transport));
    }

    private RunFolder open(String name) throws IOException {
        return RunFolder.open(folder.resolve(name), RunFolder.Existing.KEEP, "test");
    }

    private String alone(ElaboratedModel model) throws IOException {
        ExecutionPlan plan = TrialRun.compile(model, CompileOptions.defaults()).plan();
        try (RunFolder run = open("alone");
                Executable executable = stage(plan, Transport.NONE)) {
            return ProcessTrainingTest.train(executable, Optional.of(run));
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({
        "2, 1, 1f1b, NONE",
        "4, 1, zb, NONE",
        "2, 2, 1f1b, OPTIMIZER",
        "2, 2, gpipe, PARAMETERS",
        "2, 2, interleaved=2, NONE",
        "3, 4, zb, PARAMETERS"
    })
    void stateAndFileAreThoseOfOneProcess(int stages, int ranks, String schedule, Sharding sharding) throws Exception {
        assertSameAsAlone(new ProcessGrid(stages, ranks), schedule, sharding, "processes");
    }

    /** The first gets what the others have then. */
    @ParameterizedTest
    @CsvSource({"2, 1, NONE", "2, 2, PARAMETERS"})
    void soTheyAreWhereFoldersAreNotShared(int stages, int ranks, Sharding sharding) throws Exception {
        assertSameAsAlone(new ProcessGrid(stages, ranks), "1f1b", sharding, "elsewhere");
    }

    /** @param other the folder that others take for the first's */
    private void assertSameAsAlone(ProcessGrid grid, String schedule, Sharding sharding, String other)
            throws Exception {
        ElaboratedModel model = gpt();
        PlanSet set = plan(model, grid, Schedule.parse(schedule).orElseThrow(), sharding);
        String alone = alone(model);
        List<Object> ends = Processes.run(grid, group -> {
            List<ExecutionPlan> loaded = new ArrayList<>();
            try (Executable executable = ProcessExecutable.load(group, set, (plan, transport) -> {
                loaded.add(plan);
                return stage(plan, transport);
            })) {
                assertThat(loaded).containsExactly(set.stages().get(grid.stage(group.rank())));
                if (!group.isFirst()) {
                    return ProcessTrainingTest.train(
                            executable,
                            Optional.of(new SharedRunFolder(group, folder.resolve(other), Optional.empty())));
                }
                try (RunFolder run = open("processes")) {
                    return ProcessTrainingTest.train(
                            executable,
                            Optional.of(new SharedRunFolder(group, folder.resolve("processes"), Optional.of(run))));
                }
            }
        });
        assertThat(ends).hasSize(grid.processes()).containsOnly(alone);
        assertThat(ProcessTrainingTest.saved(folder.resolve("processes")))
                .isEqualTo(ProcessTrainingTest.saved(folder.resolve("alone")));
    }

    @Test
    void stepsAndEvaluationsAreThoseOfThreads() throws Exception {
        ElaboratedModel model = gpt();
        ProcessGrid grid = new ProcessGrid(2, 2);
        PlanSet set = plan(model, grid);
        ExecutionPlan evaluated = TrialRun.compile(
                        TrialRun.session(TrialRun.sample("gpt"), SETTINGS).open(Purpose.EVALUATE),
                        CompileOptions.defaults())
                .plan();
        List<String> threads;
        List<Evaluation> found;
        try (Executable executable = RankedExecutable.load(set, StageProcessesTest::stage);
                Evaluated here = new Evaluated(executable, evaluated)) {
            threads = steps(executable, here::evaluate);
            found = here.found();
        }
        List<Object> ends = Processes.run(grid, group -> {
            try (Executable executable = ProcessExecutable.load(group, set, StageProcessesTest::stage)) {
                if (!group.isFirst()) {
                    return steps(executable, () -> new TrainingState(executable).giveFor(evaluated));
                }
                try (Evaluated here = new Evaluated(executable, evaluated)) {
                    List<String> steps = steps(executable, here::evaluate);
                    assertThat(here.found()).isEqualTo(found);
                    return steps;
                }
            }
        });
        assertThat(ends).hasSize(grid.processes()).containsOnly(threads);
    }

    /** Losses, outputs and memory of two steps, with something done between them. */
    private static List<String> steps(Executable executable, Runnable between) {
        Trainer trainer = new Trainer(executable, ProcessTrainingTest.synthetic(executable.plan()));
        List<String> said = new ArrayList<>();
        for (int step = 0; step < 2; step++) {
            StepResult done = trainer.step();
            said.add(done.loss() + " " + done.outputs() + " " + done.highWaterBytes());
            between.run();
        }
        return said;
    }

    /** What evaluations have found. */
    private record Evaluated(Executable beside, Evaluator evaluator, List<Evaluation> found) implements AutoCloseable {
        Evaluated(Executable training, ExecutionPlan plan) {
            this(training, training.loadBeside(plan), plan);
        }

        private Evaluated(Executable training, Executable beside, ExecutionPlan plan) {
            this(
                    beside,
                    Evaluator.apartFrom(training, beside, new SyntheticDataset().evaluation(InputFeed.specs(plan))),
                    new ArrayList<>());
        }

        void evaluate() {
            found.add(evaluator.evaluate(2));
        }

        @Override
        public void close() {
            beside.close();
        }
    }

    private static List<Object> step(ProcessGrid grid, BatchSource data) throws Exception {
        PlanSet set = plan(oneBadRow(), grid);
        return Processes.run(grid, group -> {
            try (Executable executable = ProcessExecutable.load(group, set, StageProcessesTest::stage)) {
                return new Trainer(executable, data).step().loss();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void allStopAtALossThatIsNoNumber(int stages, int ranks) throws Exception {
        ProcessGrid grid = new ProcessGrid(stages, ranks);
        List<Object> ends = step(grid, new OneBadRow(-1, 0));
        assertThat(ends)
                .hasSize(grid.processes())
                .allSatisfy(end -> assertThat((Exception) end).isInstanceOf(NotANumberException.class));
        assertThat(ends.stream().map(end -> ((Exception) end).getMessage()).distinct())
                .hasSize(1);
        assertThat(step(grid, new OneBadRow(2, 0))).hasSize(grid.processes()).allMatch(Double.class::isInstance);
    }

    @Test
    void aRowThatDoesNotFitStopsAll() throws Exception {
        List<Object> ends = step(new ProcessGrid(2, 2), new OneBadRow(1, 7));
        List<Object> first =
                ends.stream().filter(DataException.class::isInstance).toList();
        assertThat(first).hasSize(1);
        assertThat(ends).filteredOn(ProcessStoppedException.class::isInstance).hasSize(3);
        assertThat(ends.stream().map(end -> ((Exception) end).getMessage()).distinct())
                .hasSize(1);
    }

    /** As all may tell where one ends. */
    @Test
    void whoWaitsInVainKnowsForWhat() throws Exception {
        ProcessGrid grid = new ProcessGrid(2, 2);
        PlanSet set = plan(gpt(), grid);
        int fails = grid.process(1, 0);
        List<String> awaited = Collections.synchronizedList(new ArrayList<>());
        List<String> who = Collections.synchronizedList(new ArrayList<>());
        Processes.run(grid, group -> {
            AtomicBoolean gone = new AtomicBoolean();
            try (Executable executable = ProcessExecutable.load(
                    group, set, (plan, transport) -> stage(plan, DisturbedTransport.failing(transport, gone)))) {
                Trainer trainer = new Trainer(executable, ProcessTrainingTest.synthetic(set.whole()));
                trainer.step();
                group.done(1);
                gone.set(group.rank() == fails);
                return trainer.step();
            } catch (ProcessStoppedException stopped) {
                who.add(stopped.who());
                if (grid.rank(group.rank()) == 0) {
                    group.awaited().ifPresent(awaited::add);
                }
                throw stopped;
            }
        });
        assertThat(who).hasSize(grid.processes() - 1).containsOnly("stage 1 of rank 0");
        assertThat(awaited).singleElement().asString().endsWith(" in step 2");
        String message = awaited.getFirst().replaceFirst("( [(].*)? in step 2$", "");
        assertThat(set.stages().getFirst().steps())
                .as("what stage 1 is to send or take")
                .anyMatch(step -> step.name().equals(message));
    }

    @Test
    void namesAreThoseOfWhatIsThere() {
        ProcessGrid ranks = new ProcessGrid(1, 3);
        ProcessGrid stages = new ProcessGrid(2, 1);
        ProcessGrid both = new ProcessGrid(2, 3);
        assertThat(ranks.name(2)).isEqualTo("rank 2");
        assertThat(stages.name(1)).isEqualTo("stage 1");
        assertThat(both.name(4)).isEqualTo("stage 1 of rank 1");
        assertThat(IntStream.range(0, both.processes()))
                .allMatch(process -> both.process(both.stage(process), both.rank(process)) == process);
    }
}
