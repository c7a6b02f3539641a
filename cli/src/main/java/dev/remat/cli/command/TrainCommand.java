package dev.remat.cli.command;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.Interruption;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.Device;
import dev.remat.cli.device.DeviceOption;
import dev.remat.cli.device.PlannedArtifact;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.Opened;
import dev.remat.cli.option.OptionalEvaluation;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.RunOptions;
import dev.remat.cli.option.TensorNames;
import dev.remat.cli.option.data.DataOptions;
import dev.remat.cli.option.data.ImageOptions;
import dev.remat.cli.option.data.RangeOptions;
import dev.remat.cli.option.data.TextOptions;
import dev.remat.cli.ranks.Agreement;
import dev.remat.cli.ranks.ProcessOptions;
import dev.remat.cli.ranks.RankOptions;
import dev.remat.cli.ranks.RestartProcesses;
import dev.remat.cli.ranks.SharedPlan;
import dev.remat.cli.ranks.StageOptions;
import dev.remat.cli.report.TrainLog;
import dev.remat.cli.train.DescribePlan;
import dev.remat.cli.train.FollowTraining;
import dev.remat.cli.train.TrainSubject;
import dev.remat.cli.trained.DescribeRun;
import dev.remat.cli.trained.NamedTensors;
import dev.remat.cli.trained.ReadEarlierRun;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.CorruptArtifactException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.ResumeRules;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFile;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.log.LearningRates;
import dev.remat.runtime.log.RunLog;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat train}. */
@Command(
        name = "train",
        description = "Run training steps of a model, or on a GPU of an artifact that 'remat build' has written.",
        footer = {
            "",
            "Examples:",
            "  remat train samples/gpt.model --set B=8,T=64 --text README.md --steps 20",
            "  remat train samples/mlp.model --set B=32 --data synthetic --steps 100 --save run --eval-every 50",
            "  remat train samples/mlp.model --data synthetic --steps 200 --save run --resume run",
            "  remat train samples/gpt.model --set B=64,T=64 --micro-batches 8 --ranks 2 --text README.md --steps 20",
            "  remat train samples/gpt.model --set B=64,T=64 --micro-batches 8 --stages 2 --text README.md --steps 20",
            "  remat train samples/resnet-cifar.model --set B=32 --data photos --resize --steps 1000 --save run",
            "  remat train gpt-artifact --text README.md --steps 1000 --device cuda"
        })
final class TrainCommand extends ModelCommand {
    @ArgGroup(multiplicity = "1")
    private DataOptions data;

    @Mixin
    private RangeOptions ranges;

    @Mixin
    private ImageOptions images;

    @Mixin
    private TextOptions texts;

    @Option(
            names = "--steps",
            required = true,
            paramLabel = "N",
            converter = CountingNumber.OfLong.class,
            description = "Total number of steps; a resumed run goes on to it.")
    private long steps;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private RankOptions ranks;

    @Mixin
    private ProcessOptions processes;

    @Mixin
    private StageOptions stages;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private DeviceOption device;

    @Mixin
    private RunOptions run;

    @Option(names = "--init", paramLabel = "FILE", description = "Take parameters by name from safetensors.")
    private Path init;

    @Mixin
    private TensorNames names;

    @Option(
            names = "--eval-every",
            paramLabel = "K",
            converter = CountingNumber.OfLong.class,
            description = "Evaluate on held-back data after every K steps.")
    private Long evalEvery;

    @Option(
            names = "--eval-batches",
            paramLabel = "N",
            converter = CountingNumber.OfLong.class,
            defaultValue = "16",
            description = "Batches that one evaluation averages over, at most. Default: 16.")
    private long evalBatches;

    @Option(names = "--poison", description = "Overwrite freed memory with NaN, to prove that nothing reads it.")
    private boolean poison;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        ProcessGrid asked = new ProcessGrid(stages.most(), ranks.ranks());
        processes.refuse("an artifact", BuiltAlready.isArtifact(model().file()), asked);
        if (processes.starts(asked)) {
            int microBatches = processes.restarts() == 0 ? ranks.ranks() : microBatches();
            return new RestartProcesses(run, microBatches, processes, console()).run(asked);
        }
        Optional<ProcessGroup> group = processes.join(asked);
        group.ifPresent(ranks::are);
        // Others hear of the end of this process, by a signal too, before it is there.
        try (Interruption interruption = new Interruption()) {
            return group.isEmpty() ? call(group, interruption) : among(group.get(), () -> call(group, interruption));
        }
    }

    /** Of a step, in which ranks take part. */
    private int microBatches() throws IOException {
        try (Opened<Checkpoint> checkpoint = new Opened<>(run.openCheckpoint())) {
            ModelSession shared = stages.cut(
                    session(checkpoint.find()), batches, ranks, console().silent());
            return batches.cut(shared).open(Purpose.TRAIN).training().microBatches();
        }
    }

    /** @param group that this process trains with, if it is not alone */
    private int call(Optional<ProcessGroup> group, Interruption interruption) throws IOException {
        checkOptions();
        boolean writes = group.isEmpty() || group.get().isFirst();
        try (Opened<RunFolder> folder = new Opened<>(writes ? run.openFolder() : Optional.empty());
                Opened<RunLog> logged = new Opened<>(writes ? run.openLog() : Optional.empty());
                Dataset dataset = data.open(ranges, images, texts, console());
                Opened<Checkpoint> checkpoint =
                        new Opened<>(group.isPresent() ? run.openCheckpoint(group.get()) : run.openCheckpoint())) {
            TrainSubject subject = BuiltAlready.isArtifact(model().file())
                    ? artifact(dataset, checkpoint.find(), logged.find())
                    : planned(dataset, checkpoint.find(), logged.find(), group);
            ExecutionPlan plan = subject.plan();
            DataOptions.tellRead(dataset, InputFeed.specs(plan), console());
            try (Executable executable = subject.load(
                            checkpoint.find(), poison, planning.below().places(), group);
                    OptionalEvaluation evaluation = subject.evaluation(executable, dataset::evaluation, group)) {
                RunFacts placed = DescribeRun.of(subject.facts(), executable);
                compare(checkpoint.find(), placed, EnumSet.of(Part.PLATFORM));
                group.ifPresent(all -> Agreement.demand(
                        all, placed, plan, run.timed(checkpoint.find(), steps, evalEvery, evalBatches)));
                Trainer trainer = new Trainer(executable, dataset.training(InputFeed.specs(plan), plan.seed()));
                initialize(trainer, checkpoint.find());
                tellBegin(trainer.completedSteps());
                // From here on the state is in the arena alone.
                checkpoint.find().ifPresent(Checkpoint::close);
                TrainingRun saved = new TrainingRun(trainer, run.sink(folder.find(), group), placed);
                folder.find().filter(each -> !each.isExclusive()).ifPresent(each -> tellUnlocked(each.path(), "saves"));
                FollowTraining.Each each = each(evaluation, log(logged.find(), subject));
                interruption.begin();
                return new FollowTraining(console(), run, interruption, group)
                        .run(saved, steps, plan, output.json(), each)
                        .number();
            }
        }
    }

    private TrainSubject planned(
            Dataset dataset, Optional<Checkpoint> checkpoint, Optional<RunLog> log, Optional<ProcessGroup> group) {
        ModelSession session = session(checkpoint);
        device.check(planning.below());
        Device on = device.open(console());
        ranks.demandThreads(on.target());
        stages.demandThreads(on.target());
        ModelSession shared = stages.cut(session, batches, ranks, console());
        AskedStep step = planning.step(shared, batches, Purpose.TRAIN, on.target(), console())
                .onRanks(ranks.ranks(), ranks.sharding())
                .over(planning.measuredLink().filter(_ -> ranks.ranks() > 1));
        tellKept(step);
        DiagnosticText.print(session.source().warnings(), console());
        ranges.check(step.model());
        RunFacts facts = DescribeRun.of(DescribeRun.of(step.model()), dataset);
        compare(checkpoint, facts, DescribeRun.ASKED_FOR);
        boolean given = group.isPresent() && !group.get().isFirst();
        SharedPlan made = given
                ? SharedPlan.takeFrom(group.get())
                : stages.isAsked() ? inStages(step, on.target()) : asOne(step, on.target(), log);
        if (!given) {
            group.ifPresent(made::giveTo);
        }
        return made.stages()
                .map(set -> TrainSubject.of(step.model(), set, made.evaluation(), on, facts))
                .orElseGet(
                        () -> TrainSubject.of(step.model(), made.training().getFirst(), made.evaluation(), on, facts));
    }

    /** An evaluation has an arena of its own. */
    private SharedPlan inStages(AskedStep step, TargetModel target) {
        StageSet set = stages.compile(step, planning, false, planning.measuredLink(), target, console())
                .chosen();
        Optional<ExecutionPlan> evaluation = Optional.ofNullable(evalEvery)
                .map(_ -> PlanOptions.compile(
                                step.session().evaluationBeside(step.model()), CompileOptions.defaults(), target)
                        .plan());
        return SharedPlan.of(set.plans(), evaluation);
    }

    private SharedPlan asOne(AskedStep step, TargetModel target, Optional<RunLog> log) {
        Compilation compilation = planning.compile(step, target, console());
        log.ifPresent(each -> DescribePlan.in(each, compilation));
        Optional<ExecutionPlan> evaluation = evalEvery == null
                ? Optional.empty()
                : Optional.of(
                        PlanOptions.compileWithin(compilation, step.session().evaluationBeside(compilation.model())));
        ExecutionPlan plan = compilation
                .plan()
                .withArena(evaluation.map(ExecutionPlan::arenaBytes).orElse(0L));
        return SharedPlan.of(plan, evaluation);
    }

    private TrainSubject artifact(Dataset dataset, Optional<Checkpoint> checkpoint, Optional<RunLog> log)
            throws IOException {
        Artifact artifact = BuiltAlready.read(model().file(), false);
        Path described = model().file().resolve(ArtifactFile.RUN);
        if (Files.notExists(described)) {
            throw new CorruptArtifactException(
                    model().file(),
                    "lacks " + ArtifactFile.RUN + ", which says what it trains; build it with 'remat build'");
        }
        Optional<ExecutionPlan> evaluation = evalEvery == null
                ? Optional.empty()
                : Optional.of(PlannedArtifact.of(artifact).compileEvaluation());
        if (log.isPresent()) {
            PlannedArtifact.find(artifact).ifPresent(planned -> DescribePlan.in(log.get(), planned.compilation()));
        }
        ExecutionPlan plan = planning.seeded(checkpoint
                        .map(c -> artifact.plan().withSeed(c.meta().seed()))
                        .orElseGet(artifact::plan))
                .withArena(evaluation.map(ExecutionPlan::arenaBytes).orElse(0L));
        RunFacts facts = DescribeRun.of(RunFile.read(described), dataset).with(Part.SEED, String.valueOf(plan.seed()));
        compare(checkpoint, facts, DescribeRun.ASKED_FOR);
        Device on = device.open(artifact, console());
        return new TrainSubject(plan, Optional.empty(), evaluation, on, facts, LearningRates.of(plan));
    }

    /** What nothing is said of now is as it was in the run that this one goes on from. */
    private ModelSession session(Optional<Checkpoint> before) {
        ModelSession session = model().session();
        return before.map(checkpoint -> run.kept(checkpoint.meta().run()))
                .map(kept -> ReadEarlierRun.run(run.resume(), kept, session.source()))
                .map(earlier -> session.with(session.settings().after(earlier)))
                .orElse(session);
    }

    private void tellKept(AskedStep step) {
        List<String> kept = step.session().keptFromEarlierRun(step.model());
        if (!kept.isEmpty()) {
            console().note("as in " + run.resume() + ": " + String.join("; ", kept) + "; --set gives another value");
        }
        step.session()
                .microBatchesOfEarlierRun()
                .ifPresent(cut -> console()
                        .note("as in " + run.resume() + ": " + cut + "; --micro-batches gives another number"));
    }

    private void compare(Optional<Checkpoint> checkpoint, RunFacts now, Set<Part> parts) {
        if (checkpoint.isEmpty()) {
            return;
        }
        RunFacts before = checkpoint.get().meta().run();
        List<String> changes = ResumeRules.check(run.resume(), before, now, parts, run.allowed());
        if (!changes.isEmpty()) {
            console()
                    .note("not as in " + run.resume() + ": " + String.join("; ", changes)
                            + (parts.contains(Part.PLATFORM) ? "; bits may differ from those of its run" : ""));
        }
    }

    /** What is done after each step beside telling it. */
    private FollowTraining.Each each(OptionalEvaluation evaluation, Optional<TrainLog> log) {
        return (step, ranks) -> {
            boolean due = evalEvery != null && step.step() % evalEvery == 0;
            Optional<Evaluation> held = due ? evaluation.evaluate(evalBatches) : Optional.empty();
            if (log.isPresent()) {
                log.get().step(step, ranks, held);
            }
            return held;
        };
    }

    private void checkOptions() {
        run.check();
        device.check();
        stages.refuse("--disk or --host-budget", planning.below().isAsked());
        stages.refuse("--chunks N", planning.demandsChunks());
        if (BuiltAlready.isArtifact(model().file())) {
            BuiltAlready.check(spec(), model().file(), Set.of("--range"));
        }
        if (run.resume() != null && init != null) {
            throw misuse("--resume and --init exclude each other");
        }
        if (init == null && names.given().isPresent()) {
            throw misuse(names.given().get() + " says what tensors are called in the file of --init, which is missing");
        }
    }

    private void initialize(Trainer trainer, Optional<Checkpoint> checkpoint) throws IOException {
        if (checkpoint.isPresent()) {
            trainer.resume(run.resume(), checkpoint.get());
        }
        if (init != null) {
            try (NamedTensors given = new NamedTensors(init, SafetensorsFile.open(init), names.read())) {
                given.check(trainer.state().names());
                trainer.state()
                        .load(given.tensors())
                        .text()
                        .ifPresent(missing ->
                                console().note(init + " lacks " + missing + ", kept at their initial values"));
            }
        }
    }

    /** Says where a resumed run goes on, and where it does not. */
    private void tellBegin(long completed) {
        if (run.resume() != null) {
            console()
                    .note(
                            completed < steps
                                    ? "goes on behind step " + completed + " of " + run.resume()
                                    : run.resume() + " has done step " + completed + ", and --steps asks for " + steps
                                            + ": there is nothing left to train");
        }
    }

    private void tellUnlocked(Path folder, String does) {
        console().note(folder + " lies where files cannot be locked: take care that no other run " + does + " there");
    }

    private Optional<TrainLog> log(Optional<RunLog> folder, TrainSubject subject) {
        folder.filter(log -> !log.isExclusive()).ifPresent(log -> tellUnlocked(log.path(), "logs"));
        return folder.map(
                log -> new TrainLog(log, subject.rates(), subject.plan().arenaBytes()));
    }
}
