package dev.remat.cli.command;

import static dev.remat.cli.console.Format.text;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.console.TypedWords;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.CpuDevice;
import dev.remat.cli.device.Device;
import dev.remat.cli.device.DeviceOption;
import dev.remat.cli.device.PlannedArtifact;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.Target;
import dev.remat.cli.option.data.RangeOptions;
import dev.remat.cli.ranks.ProcessOptions;
import dev.remat.cli.report.ComparisonText;
import dev.remat.cli.report.Table;
import dev.remat.cli.view.LanesText;
import dev.remat.cli.view.LinkText;
import dev.remat.cli.view.PlanTrace;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.CostComparison;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.StepTimes;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.KernelProfile;
import dev.remat.ir.target.KernelTime;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.Moved;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.profile.MeasureExchanges;
import dev.remat.runtime.profile.MeasureKernels;
import dev.remat.runtime.profile.MeasurePlace.Rates;
import dev.remat.runtime.profile.Median;
import dev.remat.runtime.train.InputFeed;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat profile}. */
@Command(
        name = "profile",
        description = "Measure how long the kernels of a model's training step take on this machine.",
        footer = {
            "",
            "Examples:",
            "  remat profile samples/gpt.model --set B=8,T=64 -o costs.json",
            "  remat plan samples/gpt.model --set B=8,T=64 --budget 60%% --costs costs.json",
            "  remat profile gpt-artifact --device cuda",
            "  remat profile samples/gpt.model --set B=8,T=64 --link --ranks 2 --processes -o costs.json",
            "  remat plan samples/gpt.model --set B=64,T=64 --ranks 8 --costs costs.json",
            "",
            "docs/costs.md tells what is measured and how plans use it."
        })
final class ProfileCommand extends ModelCommand {
    private static final double GIGA = 1e9;

    @Mixin
    private DeviceOption device;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            converter = CountingNumber.OfInt.class,
            defaultValue = "20",
            description = "Steps that are timed; a kernel's time is the median of all its runs. Default: 20.")
    private int repeats;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "10",
            description = "Steps that run before, untimed, while code is compiled. Default: 10.")
    private int warmUps;

    @Option(
            names = "--link",
            description = "Measure what joins ranks as well, which are processes, and what kernels take while others"
                    + " run on this machine, too: --costs FILE has the --link of plans then.")
    private boolean link;

    @Option(
            names = "--ranks",
            paramLabel = "W",
            converter = CountingNumber.OfInt.class,
            description = "With --link: among how many ranks. Default: as many as were started.")
    private int ranks = 1;

    @Mixin
    private ProcessOptions processes;

    @Mixin
    private RangeOptions ranges;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private PlanOptions planning;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the times for --costs FILE.")
    private Path file;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Write the step for Perfetto or Chrome's tracing: every kernel as predicted and as measured.")
    private Path trace;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        require(
                processes.restarts() == 0,
                "--restarts goes on from the last checkpoint of a training; profile has none, so run it again");
        ProcessGrid asked = new ProcessGrid(1, ranks);
        if (!link) {
            processes.refuse("profile without --link", true, asked);
            require(ranks == 1, "--ranks is about what joins ranks; it needs --link");
            return call(Optional.empty());
        }
        require(
                !BuiltAlready.isArtifact(model().file()),
                "--link is measured beside the kernels of a model on the CPU, not of an artifact");
        if (processes.starts(asked)) {
            TypedWords words =
                    new TypedWords(spec().root().commandLine().getParseResult().originalArgs());
            return processes.start(asked, words, words, console()).code();
        }
        Optional<ProcessGroup> group = processes.join(asked);
        require(
                group.isPresent() && group.get().ranks() > 1,
                "--link is measured between ranks that are processes: --ranks W --processes starts them, and so do"
                        + " mpirun, srun and torchrun");
        return among(group.get(), () -> call(group));
    }

    private void require(boolean condition, String message) {
        if (!condition) {
            throw misuse(message);
        }
    }

    private int call(Optional<ProcessGroup> group) throws IOException {
        checkOptions();
        ResultFile.check(file, model().file(), planning.costFile());
        ResultFile.check(trace, model().file(), planning.costFile());
        if (BuiltAlready.isArtifact(model().file())) {
            BuiltAlready.check(spec(), model().file(), Set.of("--range"));
            Artifact artifact = ArtifactReader.read(model().file());
            ExecutionPlan plan = planning.seeded(artifact.plan());
            Measurement measured = measure(plan, device.open(artifact, console()));
            if (trace != null) {
                writeTrace(PlannedArtifact.of(artifact).compilation(), measured);
            }
            report(new CostFile.Profile(measured.profile()), true, profile -> print(plan, profile));
        } else {
            device.check(planning.below());
            Device on = group.isPresent() ? beside(group.get()) : device.open(console());
            TargetModel target = on.target().apart();
            AskedStep step = planning.step(model().session(), batches, Purpose.TRAIN, target, console());
            DiagnosticText.print(step.session().source().warnings(), console());
            ranges.check(step.model());
            Compilation compilation = planning.compile(step, target, console());
            Measurement measured = measure(compilation.plan(), on);
            boolean first = group.isEmpty() || group.get().isFirst();
            if (first) {
                writeTrace(compilation, measured);
            }
            SequencedMap<String, Rates> lanes = planning.below().measure(console());
            LanesText text = new LanesText(lanes, measured.moved(), warmUps + repeats);
            Optional<MeasureExchanges.Times> joined = group.map(this::exchanges);
            Optional<LinkText> exchanges =
                    joined.map(times -> new LinkText(times, group.orElseThrow().here()));
            report(
                    new CostFile.Profile(measured.profile(), joined.map(MeasureExchanges.Times::link)),
                    first,
                    profile -> print(compilation, text, exchanges, profile));
        }
        return ExitCode.OK.number();
    }

    /** Of the processes, which share this machine. */
    private CpuDevice beside(ProcessGroup group) {
        require(Target.isCpu(device.open(console()).target()), "--link joins ranks on the CPU, not on a GPU");
        return new CpuDevice(group.here());
    }

    private MeasureExchanges.Times exchanges(ProcessGroup group) {
        try (Progress progress = new Progress(console())) {
            return MeasureExchanges.run(
                    group,
                    new CpuDevice(group.here()).kernels(),
                    part -> progress.tell("measuring exchanges, part " + part + " of " + MeasureExchanges.parts()));
        }
    }

    /** @param first whether this process is the one to write */
    private void report(CostFile.Profile costs, boolean first, Consumer<KernelProfile> text) throws IOException {
        byte[] content = CostFileJson.write(costs);
        if (file != null && first) {
            AtomicFile.write(file, content);
        }
        if (output.json()) {
            console().out().print(new String(content, StandardCharsets.UTF_8));
        } else {
            text.accept(costs.profile());
        }
    }

    private void checkOptions() {
        require(warmUps >= 0, "--warm-up counts from 0, not " + warmUps);
        device.check();
    }

    private void writeTrace(Compilation compilation, Measurement measured) throws IOException {
        if (trace != null) {
            PlanAccount account = PlanAccount.of(compilation);
            String source = "measured on " + measured.profile().device().name();
            StepTimes times = StepTimes.measured(
                    source, measured.times().stream().map(Median::of).toList());
            AtomicFile.write(trace, new PlanTrace(account, List.of(account.predicted(), times)).bytes());
        }
    }

    /**
     * What was measured of a plan.
     *
     * @param times of every step of the plan, in nanoseconds, one for each run
     * @param moved by all steps, warm-ups among them
     */
    private record Measurement(KernelProfile profile, List<List<Long>> times, Moved moved) {}

    private Measurement measure(ExecutionPlan plan, Device on) throws IOException {
        try (Progress progress = new Progress(console())) {
            progress.tell("measuring the device");
            DeviceSpec rates = on.measureRates();
            try (TimedExecutable executable =
                            on.load(plan, false, planning.below().places());
                    SyntheticDataset data = ranges.dataset()) {
                List<List<Long>> times = MeasureKernels.run(
                        executable,
                        data.training(InputFeed.specs(plan), plan.seed()),
                        warmUps,
                        repeats,
                        run -> progress.tell(
                                run <= warmUps
                                        ? "warming up"
                                        : "measuring step " + (run - warmUps) + " of " + repeats));
                KernelProfile profile =
                        new KernelProfile(on.target().name(), rates, byKernel(plan.steps(), times, repeats));
                return new Measurement(profile, times, executable.moved());
            }
        }
    }

    /**
     * @param times of every kernel of the plan
     * @param runs of the whole step
     */
    private static List<KernelTime> byKernel(List<KernelStep> steps, List<List<Long>> times, int runs) {
        Map<String, KernelWork> works = new LinkedHashMap<>();
        Map<String, List<Long>> samples = new LinkedHashMap<>();
        for (int k = 0; k < times.size(); k++) {
            KernelWork work = KernelWork.of(steps.get(k).body());
            works.putIfAbsent(work.signature().key(), work);
            samples.computeIfAbsent(work.signature().key(), key -> new ArrayList<>())
                    .addAll(times.get(k));
        }
        List<KernelTime> measured = new ArrayList<>();
        samples.forEach(
                (key, nanos) -> measured.add(KernelTime.of(works.get(key), nanos.size() / runs, Median.of(nanos))));
        return measured;
    }

    private void print(Compilation compilation, LanesText lanes, Optional<LinkText> exchanges, KernelProfile profile) {
        PrintStream out = console().out();
        printDevice(compilation.plan(), profile);
        if (!lanes.alone().isEmpty()) {
            lanes.print(out);
        }
        exchanges.ifPresent(each -> each.print(out));
        String name = file == null ? "measured" : file.getFileName().toString();
        new ComparisonText(CostComparison.of(compilation, new ProfileCost(name, profile)), out).print();
        printFile(out);
    }

    /** Of a plan without its model, which costs could be held against: what takes how long. */
    private void print(ExecutionPlan plan, KernelProfile profile) {
        PrintStream out = console().out();
        printDevice(plan, profile);
        line(out, "");
        line(out, "Kernels of one step, the longest first");
        Table table = new Table("  ", LEFT, RIGHT, RIGHT);
        profile.kernels().stream()
                .collect(Collectors.groupingBy(KernelTime::family, TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .sorted(Comparator.comparingLong(family -> -nanos(family.getValue())))
                .forEach(family -> table.row(
                        family.getKey(),
                        Count.of(
                                family.getValue().stream()
                                        .mapToInt(KernelTime::count)
                                        .sum(),
                                "run"),
                        text("%.3f ms", nanos(family.getValue()) / 1e6)));
        table.row("all", "", text("%.3f ms", nanos(profile.kernels()) / 1e6)).print(out);
        printFile(out);
    }

    private static long nanos(List<KernelTime> kernels) {
        return kernels.stream()
                .mapToLong(kernel -> kernel.count() * kernel.nanos())
                .sum();
    }

    private void printDevice(ExecutionPlan plan, KernelProfile profile) {
        PrintStream out = console().out();
        DeviceSpec rates = profile.device();
        line(
                out,
                "%s, %d kernels%s of which %d differ, on %s",
                plan.model(),
                plan.steps().size(),
                plan.isInSections() ? " in " + plan.runs() + " runs a step" : " a step",
                profile.kernels().size(),
                rates.name());
        line(out, "");
        line(out, "Device");
        Table table = new Table("  ", LEFT, RIGHT);
        rates.flopsPerSecond()
                .forEach((dtype, rate) -> table.row("products in " + dtype.label(), text("%.1f GFLOP/s", rate / GIGA)));
        table.row("memory", text("%.1f GB/s", rates.bytesPerSecond() / GIGA))
                .row("an empty kernel", text("%.1f us", rates.launchNanos() / 1e3))
                .print(out);
    }

    private void printFile(PrintStream out) {
        line(out, "");
        line(
                out,
                file == null
                        ? "nothing was written; -o FILE keeps the times for --costs FILE"
                        : "written to " + file + "; '--costs " + file + "' plans with it");
        out.flush();
    }

    private static void line(PrintStream out, String format, Object... values) {
        out.println(text(format, values));
    }
}
