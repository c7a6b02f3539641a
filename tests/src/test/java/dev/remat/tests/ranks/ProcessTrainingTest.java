package dev.remat.tests.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.ranks.Agreement;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.checkpoint.CheckpointSink;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.SharedRunFolder;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.process.ProcessExecutable;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.ProcessStoppedException;
import dev.remat.runtime.process.RankTimes;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.ranks.Transport;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingRun;
import dev.remat.tests.promises.OneBadRow;
import dev.remat.tests.promises.TrialRun;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranks that are processes leave what ranks of one process leave: the state, and the file that it is saved to. */
class ProcessTrainingTest {
    private static final int PIECES = OneBadRow.MICRO_BATCHES;
    private static final int RANKS = 2;
    private static final String SETTINGS = "B=8,T=5,vocab=420,width=40,depth=1,heads=2,context=8";

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path folder;

    private static ExecutionPlan plan(String text, String settings, Sharding sharding) {
        return TrialRun.compile(
                        TrialRun.cut(text, settings, Purpose.TRAIN, PIECES, DType.F32),
                        CompileOptions.defaults().onRanks(RANKS).with(sharding))
                .plan();
    }

    private static Function<Transport, TimedExecutable> rank(ExecutionPlan plan) {
        return transport -> new CpuExecutable(plan, new CpuExecutable.Options(1, true, Lanes.Options.NONE, transport));
    }

    static BatchSource synthetic(ExecutionPlan plan) {
        return new SyntheticDataset().training(InputFeed.specs(plan), plan.seed());
    }

    /** Trains for three steps, saving, and goes on from there for one. */
    static String train(Executable executable, Optional<? extends CheckpointSink> sink) throws IOException {
        Trainer trainer = new Trainer(executable, synthetic(executable.plan()));
        RunFacts facts =
                RunFacts.none().with(Part.SEED, String.valueOf(executable.plan().seed()));
        new TrainingRun(trainer, sink, facts).run(3, Long.MAX_VALUE, () -> false, _ -> {});
        trainer.step();
        return trainer.state().hash();
    }

    static byte[] saved(Path run) throws IOException {
        try (Stream<Path> files = Files.list(run)) {
            Path state = files.filter(file -> file.toString().endsWith(".safetensors"))
                    .findFirst()
                    .orElseThrow();
            return Files.readAllBytes(state);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Sharding.class,
            names = {"NONE", "OPTIMIZER", "PARAMETERS"})
    void stateAndFileAreThoseOfThreads(Sharding sharding) throws Exception {
        assertSameAsThreads(sharding, "processes");
    }

    /** The first gets what the other has then. */
    @Test
    void soTheyAreWhereFoldersAreNotShared() throws Exception {
        assertSameAsThreads(Sharding.PARAMETERS, "elsewhere");
    }

    /** @param other the folder that the second rank takes for the first's */
    private void assertSameAsThreads(Sharding sharding, String other) throws Exception {
        ExecutionPlan plan = plan(TrialRun.sample("gpt"), SETTINGS, sharding);
        String threads;
        try (RunFolder run = open("threads");
                Executable executable = RankedExecutable.load(plan, rank(plan))) {
            threads = train(executable, Optional.of(run));
        }
        List<Object> ends = Processes.run(RANKS, group -> {
            try (Executable executable = ProcessExecutable.load(group, rank(plan))) {
                if (!group.isFirst()) {
                    return train(executable, shared(group, other, Optional.empty()));
                }
                try (RunFolder run = open("processes")) {
                    return train(executable, shared(group, "processes", Optional.of(run)));
                }
            }
        });
        assertThat(ends).hasSize(RANKS).containsOnly(threads);
        assertThat(saved(folder.resolve("processes"))).isEqualTo(saved(folder.resolve("threads")));
    }

    private Optional<CheckpointSink> shared(ProcessGroup group, String name, Optional<RunFolder> held) {
        return Optional.of(new SharedRunFolder(group, folder.resolve(name), held));
    }

    private RunFolder open(String name) throws IOException {
        return RunFolder.open(folder.resolve(name), RunFolder.Existing.KEEP, "test");
    }

    private static List<Object> step(BatchSource data) throws Exception {
        ExecutionPlan plan = plan(OneBadRow.MODEL, "B=8", Sharding.OPTIMIZER);
        return Processes.run(RANKS, group -> {
            try (Executable executable = ProcessExecutable.load(group, rank(plan))) {
                return new Trainer(executable, data).step().loss();
            }
        });
    }

    @Test
    void noneGoesOnFromAnotherCheckpointThanTheFirst() throws Exception {
        ExecutionPlan plan = plan(OneBadRow.MODEL, "B=8", Sharding.NONE);
        RunFacts facts = RunFacts.none().with(Part.SEED, "1");
        for (String other : new String[] {"state-4-00.safetensors", "state-3-00.safetensors"}) {
            List<Object> ends = Processes.run(RANKS, group -> {
                String file = group.isFirst() ? "state-3-00.safetensors" : other;
                Agreement.demand(group, facts, plan, new TreeMap<>(Map.of("--resume", file)));
                return "agreed";
            });
            assertThat(ends)
                    .hasSize(RANKS)
                    .allMatch(end -> end instanceof Exception differ
                            ? differ.getMessage()
                                    .contains(
                                            "--resume is state-3-00.safetensors on rank 0 and " + other + " on rank 1")
                            : other.contains("-3-"));
        }
    }

    @Test
    void allFindTheFirstTensorThatIsNotANumber() throws Exception {
        List<Object> ends = step(new OneBadRow(-1, 0));
        assertThat(ends)
                .hasSize(RANKS)
                .allSatisfy(end -> assertThat((Exception) end)
                        .isInstanceOf(NotANumberException.class)
                        .hasMessageContaining("micro-batch 4"));
        assertThat(ends.stream().map(end -> ((Exception) end).getMessage()).distinct())
                .hasSize(1);
        assertThat(step(new OneBadRow(2, 0))).hasSize(RANKS).allMatch(Double.class::isInstance);
    }

    /** In a share that the first has not got. */
    @Test
    void noneSavesWhatIsNotANumber() throws Exception {
        ExecutionPlan plan = plan(TrialRun.sample("gpt"), SETTINGS, Sharding.PARAMETERS);
        for (float last : new float[] {Float.NaN, 1}) {
            List<Object> ends = Processes.run(RANKS, group -> {
                try (Executable executable = ProcessExecutable.load(group, rank(plan))) {
                    Trainer trainer = new Trainer(executable, synthetic(plan));
                    StoredTensor tensor = trainer.state().tensors().getLast();
                    tensor.data().set(ValueLayout.JAVA_FLOAT_UNALIGNED, tensor.byteSize() - Float.BYTES, last);
                    trainer.state().load(List.of(tensor));
                    trainer.save((_, _) -> {}, RunFacts.none().with(Part.SEED, "1"));
                    return tensor.name();
                }
            });
            assertThat(ends)
                    .allMatch(end -> end instanceof NotANumberException == Float.isNaN(last))
                    .hasSize(RANKS);
        }
    }

    @Test
    void whoWaitsInVainKnowsForWhat() throws Exception {
        ExecutionPlan plan = plan(TrialRun.sample("gpt"), SETTINGS, Sharding.OPTIMIZER);
        List<String> awaited = Collections.synchronizedList(new ArrayList<>());
        Processes.run(RANKS, group -> {
            AtomicBoolean gone = new AtomicBoolean();
            try (Executable executable = ProcessExecutable.load(
                    group, transport -> rank(plan).apply(DisturbedTransport.failing(transport, gone)))) {
                Trainer trainer = new Trainer(executable, synthetic(plan));
                trainer.step();
                group.done(1);
                assertThat(group.awaited()).isEmpty();
                gone.set(!group.isFirst());
                return trainer.step();
            } catch (ProcessStoppedException stopped) {
                group.awaited().ifPresent(awaited::add);
                throw stopped;
            }
        });
        assertThat(awaited).hasSize(1);
        assertThat(awaited.getFirst())
                .containsPattern("^scattered[.]bucket[.][0-9]+ [(][a-z0-9.]+( and [0-9]+ more)?[)] in step 2$");
    }

    /** Which each learns behind the step; the other has waited for it. */
    @Test
    void allKnowWhoComputesLongest() throws Exception {
        ExecutionPlan plan = plan(TrialRun.sample("gpt"), SETTINGS, Sharding.OPTIMIZER);
        int slow = 1;
        List<Object> ends = Processes.run(RANKS, group -> {
            Runnable before = () -> LockSupport.parkNanos(group.rank() == slow ? SECOND / 2 : 0);
            try (Executable executable = ProcessExecutable.load(
                    group, transport -> rank(plan).apply(new DisturbedTransport(transport, before)))) {
                new Trainer(executable, synthetic(plan)).step();
                return group.done(1);
            }
        });
        assertThat(ends).hasSize(RANKS).allSatisfy(end -> {
            RankTimes.Slowest slowest = ((RankTimes) end).slowest().orElseThrow();
            assertThat(slowest.process()).isEqualTo(slow);
            assertThat(slowest.share()).isGreaterThan(1);
        });
        assertThat(((RankTimes) ends.getFirst()).waitedNanos()).isGreaterThan(SECOND / 4);
    }

    @Test
    void aRowThatDoesNotFitStopsBoth() throws Exception {
        List<Object> ends = step(new OneBadRow(1, 7));
        assertThat(ends.get(1)).isInstanceOf(DataException.class);
        assertThat(ends.get(0)).isInstanceOf(ProcessStoppedException.class);
        assertThat(((Exception) ends.get(0)).getMessage()).isEqualTo(((Exception) ends.get(1)).getMessage());
    }
}
