package dev.remat.cli.command;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.device.Device;
import dev.remat.cli.device.DeviceOption;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.TensorNames;
import dev.remat.cli.option.TrainedOptions;
import dev.remat.cli.option.WeightsOption;
import dev.remat.cli.option.data.DataOptions;
import dev.remat.cli.option.data.ImageOptions;
import dev.remat.cli.option.data.RangeOptions;
import dev.remat.cli.option.data.TextOptions;
import dev.remat.cli.report.EvalReport;
import dev.remat.cli.trained.TrainedTensors;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.BatchedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.Batches;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.Samples;
import dev.remat.runtime.train.EvaluationMeans;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.JoinedOutputs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat eval}. */
@Command(
        name = "eval",
        description = "Evaluate a trained model: loss and outputs, without dropout and with running statistics.",
        footer = {
            "",
            "Batches are taken in the order of the data; a last one that is not full is evaluated by a plan of its"
                    + " size,",
            "and means have the weight of the samples.",
            "",
            "Examples:",
            "  remat eval samples/gpt.model --resume run --text README.md",
            "  remat eval samples/mlp.model --set B=100 --init mlp.safetensors --data test.safetensors --all"
        })
final class EvalCommand extends ModelCommand {
    @ArgGroup(multiplicity = "1")
    private TrainedOptions source;

    @Mixin
    private TensorNames names;

    @Mixin
    private WeightsOption weights;

    @ArgGroup(multiplicity = "1")
    private DataOptions data;

    @Mixin
    private RangeOptions ranges;

    @Mixin
    private ImageOptions images;

    @Mixin
    private TextOptions texts;

    @Option(names = "--all", description = "Evaluate on all of the data instead of the held-back tenth.")
    private boolean all;

    @Option(
            names = "--batches",
            paramLabel = "N",
            converter = CountingNumber.OfLong.class,
            description = "Evaluate on the first N batches only.")
    private Long batches;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Safetensors to write: every output by name, concatenated along the axis of the samples;"
                    + " outputs without one have a row for each batch.")
    private Path result;

    @Mixin
    private DeviceOption device;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(result, model().file(), source.place(), names.file(), data.place());
        device.check();
        try (Dataset dataset = data.open(ranges, images, texts, console());
                TrainedTensors trained = source.open(weights, names, spec().commandLine())) {
            ModelSession session = trained.of(model().session());
            BatchedModel batched = session.bySamples();
            DiagnosticText.print(session.source().warnings(), console());
            ranges.check(batched.whole());
            trained.check(batched.whole());
            try (Run run = new Run(batched, dataset, trained, device.open(console()))) {
                run.evaluate();
                if (result != null) {
                    run.write(result);
                }
                EvalReport report = run.report();
                output.print(console(), report::writeTo, report::print);
            }
        }
        return ExitCode.OK.number();
    }

    /** One evaluation. */
    private final class Run implements AutoCloseable {
        private final BatchedModel batched;
        private final Dataset dataset;
        private final TrainedTensors trained;
        private final Device on;
        private final EvaluationMeans means = new EvaluationMeans();
        private final Optional<JoinedOutputs> joined;
        private final long begin = System.nanoTime();
        private long done;
        private long leftOut;

        private Run(BatchedModel batched, Dataset dataset, TrainedTensors trained, Device on) {
            this.batched = batched;
            this.dataset = dataset;
            this.trained = trained;
            this.on = on;
            this.joined = result == null
                    ? Optional.empty()
                    : Optional.of(new JoinedOutputs(batched.sampleAxes(), batched.severalAxes()));
        }

        private void evaluate() {
            ExecutionPlan plan = compile(batched.whole());
            List<InputSpec> specs = InputFeed.specs(plan);
            Samples samples = dataset.samples(specs, all ? Dataset.Share.ALL : Dataset.Share.HELD_BACK);
            DataOptions.tellRead(dataset, specs, console());
            long rows = specs.isEmpty() ? 1 : specs.getFirst().rows();
            long full = samples.count() / rows;
            long rest = samples.count() % rows;
            long most = batches == null ? Long.MAX_VALUE : batches;
            run(plan, samples, 0, Math.min(full, most));
            if (rest > 0 && full < most) {
                batched.with(rest)
                        .ifPresentOrElse(
                                smaller -> run(compile(smaller), samples, full * rows, 1), () -> leaveOut(rest, rows));
            }
        }

        private void leaveOut(long rest, long rows) {
            if (means.samples() == 0) {
                throw new DataException("the model takes " + rows + " samples at once, and there "
                        + (rest == 1 ? "is 1" : "are " + rest));
            }
            leftOut = rest;
            console()
                    .note("the last " + Count.of(rest, "sample") + " fill no batch of " + rows
                            + ", and the model takes no fewer; they are left out");
        }

        private ExecutionPlan compile(ElaboratedModel elaborated) {
            try (Progress progress = new Progress(console())) {
                progress.tell("compiling");
                return PlanOptions.compile(elaborated, CompileOptions.defaults(), on.target())
                        .plan();
            }
        }

        private void run(ExecutionPlan plan, Samples samples, long first, long count) {
            if (count == 0) {
                return;
            }
            List<InputSpec> specs = InputFeed.specs(plan);
            try (Progress progress = new Progress(console());
                    Executable executable = on.load(plan, false)) {
                trained.loadInto(executable);
                InputFeed feed = new InputFeed(executable, Batches.from(first, specs, samples));
                for (long batch = 0; batch < count; batch++) {
                    progress.tell("batch " + (done + 1));
                    feed.feed(batch, 1);
                    executable.run(1);
                    means.add(executable, specs.isEmpty() ? 1 : specs.getFirst().rows());
                    joined.ifPresent(outputs -> outputs.add(executable));
                    done++;
                }
            }
        }

        private void write(Path file) throws IOException {
            batched.severalAxes()
                    .forEach(name ->
                            console().note("the output " + name + " has several axes of samples and is not written"));
            SafetensorsWriter.write(
                    file,
                    Map.of("model", batched.whole().name()),
                    joined.orElseThrow().tensors());
        }

        private EvalReport report() {
            return new EvalReport(
                    batched.whole(), means.mean(), means.samples(), leftOut, done, (System.nanoTime() - begin) / 1e9);
        }

        @Override
        public void close() {
            joined.ifPresent(JoinedOutputs::close);
        }
    }
}
