package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Interruption;
import dev.remat.cli.option.DataOptions;
import dev.remat.cli.option.ModelOptions;
import dev.remat.cli.option.OptionalCheckpoint;
import dev.remat.cli.option.OptionalEvaluation;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.Target;
import dev.remat.cli.report.TrainJson;
import dev.remat.cli.report.TrainOutput;
import dev.remat.cli.report.TrainText;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.io.WritableFolder;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.Checkpoint;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code remat train}. */
@Command(
        name = "train",
        description = "Run training steps.",
        footer = {
            "",
            "Examples:",
            "  remat train samples/gpt.model --set B=8,T=64 --text README.md --steps 20",
            "  remat train samples/mlp.model --set B=32 --data synthetic --steps 100 --save run --eval-every 50",
            "  remat train samples/mlp.model --set B=32 --data synthetic --steps 200 --save run --resume run"
        })
final class TrainCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @CommandLine.ParentCommand
    private RematCommand root;

    @Mixin
    private ModelOptions model;

    @ArgGroup(multiplicity = "1")
    private DataOptions data;

    @Option(
            names = "--steps",
            required = true,
            paramLabel = "N",
            description = "Total number of steps; a resumed run goes on to it.")
    private long steps;

    @Mixin
    private PlanOptions planning;

    @Option(names = "--device", paramLabel = "NAME", defaultValue = "cpu", description = "What to train on: cpu.")
    private String device;

    @Option(names = "--save", paramLabel = "DIR", description = "Write a checkpoint at the end, or when interrupted.")
    private Path save;

    @Option(names = "--save-every", paramLabel = "K", description = "Write a checkpoint after every K steps, too.")
    private Long saveEvery;

    @Option(names = "--resume", paramLabel = "DIR", description = "Go on where a checkpoint was written.")
    private Path resume;

    @Option(names = "--init", paramLabel = "FILE", description = "Take parameters by name from safetensors.")
    private Path init;

    @Option(names = "--eval-every", paramLabel = "K", description = "Evaluate on held-back data after every K steps.")
    private Long evalEvery;

    @Option(
            names = "--eval-batches",
            paramLabel = "N",
            defaultValue = "16",
            description = "Batches that one evaluation averages over, at most. Default: 16.")
    private long evalBatches;

    @Option(names = "--poison", description = "Overwrite freed memory with NaN, to prove that nothing reads it.")
    private boolean poison;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        checkOptions();
        if (save != null) {
            WritableFolder.check(save);
        }
        try (Dataset dataset = data.open();
                OptionalCheckpoint checkpoint = OptionalCheckpoint.open(resume)) {
            checkpoint.find().ifPresent(c -> {
                if (!planning.hasSeed()) {
                    planning.setSeed(c.meta().seed());
                }
            });
            ElaboratedModel elaborated = model.elaborate(Purpose.TRAIN);
            ExecutionPlan plan =
                    planning.compile(elaborated, Target.cpu(), root.console()).plan();
            DataOptions.tellUnread(dataset, InputFeed.specs(plan), root.console());
            try (Executable executable = Target.load(plan, poison);
                    OptionalEvaluation evaluation = evaluation(dataset)) {
                Trainer trainer = new Trainer(executable, dataset.training(InputFeed.specs(plan), plan.seed()));
                initialize(trainer, checkpoint.find());
                return train(trainer, plan, evaluation.evaluator()).number();
            }
        }
    }

    private void checkOptions() {
        positive(steps, "--steps");
        positive(evalBatches, "--eval-batches");
        positive(saveEvery == null ? 1 : saveEvery, "--save-every");
        positive(evalEvery == null ? 1 : evalEvery, "--eval-every");
        if (saveEvery != null && save == null) {
            throw new ParameterException(spec.commandLine(), "--save-every needs --save DIR");
        }
        if (resume != null && init != null) {
            throw new ParameterException(spec.commandLine(), "--resume and --init exclude each other");
        }
        if (!device.equals("cpu")) {
            throw device.equals("cuda")
                    ? new DeviceException("this version of remat trains on the CPU only; leave --device away")
                    : new ParameterException(spec.commandLine(), "unknown device '" + device + "'; there is cpu");
        }
    }

    private void positive(long value, String option) {
        if (value < 1) {
            throw new ParameterException(spec.commandLine(), option + " counts from 1, not " + value);
        }
    }

    private OptionalEvaluation evaluation(Dataset dataset) {
        if (evalEvery == null) {
            return OptionalEvaluation.NONE;
        }
        ElaboratedModel elaborated = model.elaborate(Purpose.EVALUATE);
        ExecutionPlan plan = PlanOptions.compile(elaborated, CompileOptions.defaults(), Target.cpu())
                .plan();
        Executable executable = Target.load(plan, poison);
        return new OptionalEvaluation(
                Optional.of(executable),
                Optional.of(new Evaluator(executable, dataset.evaluation(InputFeed.specs(plan)), evalBatches)));
    }

    private void initialize(Trainer trainer, Optional<Checkpoint> checkpoint) throws IOException {
        if (checkpoint.isPresent()) {
            trainer.resume(resume, checkpoint.get());
        }
        if (init != null) {
            try (SafetensorsFile file = SafetensorsFile.open(init)) {
                List<String> missing = trainer.state().load(file.tensors());
                if (!missing.isEmpty()) {
                    root.console()
                            .note(init + " lacks " + Count.of(missing.size(), "tensor") + ", such as "
                                    + missing.getFirst() + "; they keep their initial values");
                }
            }
        }
    }

    private ExitCode train(Trainer trainer, ExecutionPlan plan, Optional<Evaluator> evaluator) throws IOException {
        long begun = trainer.completedSteps();
        try (Interruption interruption = new Interruption();
                TrainOutput report = output.json()
                        ? new TrainJson(root.console(), plan.arenaBytes())
                        : new TrainText(root.console(), plan.arenaBytes(), begun, steps)) {
            while (trainer.completedSteps() < steps && !interruption.requested()) {
                StepResult step = trainer.step();
                boolean evaluates = evaluator.isPresent() && step.step() % evalEvery == 0;
                report.step(
                        step, evaluates ? Optional.of(evaluator.get().evaluate(trainer.state())) : Optional.empty());
                if (saveEvery != null && step.step() % saveEvery == 0 && step.step() < steps) {
                    trainer.save(save);
                }
            }
            boolean done = trainer.completedSteps() >= steps;
            if (save != null && (done || trainer.completedSteps() > begun)) {
                trainer.save(save);
            }
            report.end(done, trainer.completedSteps(), trainer.state().hash());
            if (!done) {
                root.console()
                        .note("interrupted after step " + trainer.completedSteps() + "; "
                                + (save == null
                                        ? "nothing was saved"
                                        : "'train --resume " + save + "' goes on from there"));
            }
            return done ? ExitCode.OK : ExitCode.INTERRUPTED;
        }
    }
}
