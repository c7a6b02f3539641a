package dev.remat.cli.command;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Format;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.StopWatch;
import dev.remat.cli.console.Version;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.KernelOptions;
import dev.remat.cli.device.StageFile;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.ranks.StageOptions;
import dev.remat.cli.report.ArtifactText;
import dev.remat.cli.report.BuildJson;
import dev.remat.cli.trained.DescribeRun;
import dev.remat.codegen.cuda.BuildArtifact;
import dev.remat.codegen.cuda.CompilePlan;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.recipe.PlanRecipe;
import dev.remat.compiler.recipe.RecipeFiles;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.artifact.ArtifactContent;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.ArtifactWriter;
import dev.remat.ir.artifact.Manifest;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.execution.RelocatePlan;
import dev.remat.ir.json.JsonFields;
import dev.remat.runtime.checkpoint.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code remat build}. */
@Command(
        name = "build",
        description = "Compile a model's training step to kernels for GPUs, ahead of time; needs no GPU and no driver.",
        footer = {
            "",
            "Examples:",
            "  remat build samples/gpt.model --set B=16,T=128 --arch sm_80,sm_90a -o gpt",
            "  remat build samples/resnet.model --set B=32 --arch sm_90a --budget 60%% --c-abi -o resnet",
            "  remat build samples/gpt.model --set B=16,T=128 --arch sm_90a --stages 4 --micro-batches 16 --c-abi -o"
                    + " gpt"
        })
final class BuildCommand extends ModelCommand {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            description = "Folder to write; an artifact that is there is replaced.")
    private Path folder;

    @Option(
            names = "--arch",
            required = true,
            split = ",",
            paramLabel = "NAME",
            converter = ArchitectureConverter.class,
            description =
                    "What to build for, such as sm_80,sm_90a. One plan serves all; its costs are the first one's.")
    private List<Architecture> architectures;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private StageOptions stages;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private KernelOptions kernels;

    @Option(
            names = "--gradients",
            description = "Build a step that gives the loss and the gradients of all parameters and updates nothing,"
                    + " for 'remat grad' and for programs with an optimizer of their own.")
    private boolean gradients;

    @Option(names = "--c-abi", description = "Add step.h and step.cc, which run the step from programs without Java.")
    private boolean cAbi;

    @Mixin
    private OutputOptions output;

    /** For picocli. */
    static final class ArchitectureConverter implements ITypeConverter<Architecture> {
        @Override
        public Architecture convert(String name) {
            return Architecture.ofLabel(name)
                    .orElseThrow(() -> new TypeConversionException("unknown architecture '" + name + "'; there are "
                            + String.join(", ", Architecture.labels())));
        }
    }

    private record Built(Manifest manifest, ExecutionPlan plan) {}

    @Override
    public Integer call() throws IOException {
        if (architectures.stream().distinct().count() < architectures.size()) {
            throw misuse("--arch names an architecture twice");
        }
        planning.below().demandReachOfGpus();
        StopWatch watch = new StopWatch();
        if (stages.isAsked()) {
            buildStages(watch);
            return ExitCode.OK.number();
        }
        ArtifactWriter.check(folder);
        Built built = build(watch);
        report(built, watch.seconds());
        return ExitCode.OK.number();
    }

    private Built build(StopWatch watch) throws IOException {
        CudaTarget target = new CudaTarget(architectures);
        AskedStep step = planning.step(model().session(), batches, purpose(), target, console());
        DiagnosticText.print(step.session().source().warnings(), console());
        Compilation compilation = planning.compile(step, target, console());
        ExecutionPlan plan = RelocatePlan.run(compilation.plan(), model()::relative);
        watch.lap("plan");
        try (Progress progress = new Progress(console())) {
            CompileKernels compiler = new CompileKernels(progress::tell);
            progress.tell("generating kernels");
            ArtifactContent content = new BuildArtifact(
                            new CompilePlan(compiler, kernels.options()),
                            gradients ? List.of(BuiltAlready.GRADIENTS) : List.of(),
                            cAbi)
                    .run(
                            plan,
                            architectures,
                            Version.REMAT,
                            compilation.sequence().strategy(),
                            step.session().settings().byName(),
                            watch::lap)
                    .with(ArtifactFile.RUN, RunFile.print(DescribeRun.of(step.model())))
                    .with(RecipeFiles.write(recipe(compilation, step.session())));
            progress.tell("writing " + folder);
            Manifest manifest = ArtifactWriter.write(folder, content);
            watch.lap("write");
            return new Built(manifest, plan);
        }
    }

    /** An artifact a stage, in folders of their own. */
    private void buildStages(StopWatch watch) throws IOException {
        stages.refuse("--gradients", gradients);
        stages.refuse("--host-budget", planning.below().isAsked());
        stages.refuse("--chunks N", planning.demandsChunks());
        if (!cAbi) {
            throw misuse("a stage runs by its C ABI, beside the others; --stages needs --c-abi");
        }
        if (Files.exists(folder.resolve(ArtifactFile.MANIFEST))) {
            throw misuse(folder + " is an artifact, and no folder for those of stages");
        }
        if (Files.exists(stage(stages.most()))) {
            throw misuse(stage(stages.most()) + " is of a step in more stages; remove " + folder + " first");
        }
        for (int stage = 0; stage < stages.most(); stage++) {
            ArtifactWriter.check(stage(stage));
        }
        CudaTarget target = new CudaTarget(architectures);
        ModelSession session = stages.cut(model().session(), batches, console());
        AskedStep step = planning.step(session, batches, Purpose.TRAIN, target, console());
        DiagnosticText.print(step.session().source().warnings(), console());
        StageSet set = stages.compile(step, planning, false, planning.measuredLink(), target, console())
                .chosen();
        watch.lap("plan");
        List<ExecutionPlan> plans = set.plans().stages().stream()
                .map(plan -> RelocatePlan.run(plan, model()::relative))
                .toList();
        PlanSet relocated = new PlanSet(plans, set.plans().microBatches());
        List<ArtifactContent> contents = new ArrayList<>();
        List<Built> built = new ArrayList<>();
        try (Progress progress = new Progress(console())) {
            BuildArtifact build = new BuildArtifact(
                    new CompilePlan(new CompileKernels(progress::tell), kernels.options()), List.of(), true);
            for (int stage = 0; stage < plans.size(); stage++) {
                progress.tell("generating kernels of stage " + stage);
                ArtifactContent content = build.run(
                                plans.get(stage),
                                architectures,
                                Version.REMAT,
                                set.stages().get(stage).sequence().strategy(),
                                step.session().settings().byName(),
                                watch::lap)
                        .with(ArtifactFile.RUN, RunFile.print(DescribeRun.of(step.model())));
                String schedule = set.staging().schedule().toString();
                contents.add(
                        content.with(StageFile.NAME, StageFile.print(relocated, schedule, stage, content.devices())));
            }
            Files.createDirectories(folder);
            for (int stage = 0; stage < plans.size(); stage++) {
                progress.tell("writing " + stage(stage));
                built.add(new Built(ArtifactWriter.write(stage(stage), contents.get(stage)), plans.get(stage)));
            }
        }
        watch.lap("write");
        report(built, watch.seconds());
    }

    private Path stage(int number) {
        return folder.resolve("stage-" + number);
    }

    private void report(List<Built> built, SequencedMap<String, Double> seconds) throws IOException {
        double total =
                seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        if (output.json()) {
            Json.print(console(), out -> {
                out.writeStringField("schema", "remat-build-stages/1");
                out.writeStringField("directory", folder.toString());
                JsonFields.objects(
                        out,
                        "stages",
                        built,
                        each -> new BuildJson(
                                        each.manifest, each.plan, stage(built.indexOf(each)), new LinkedHashMap<>())
                                .writeTo(out));
                out.writeNumberField("seconds", total);
            });
            return;
        }
        for (int stage = 0; stage < built.size(); stage++) {
            Built each = built.get(stage);
            console().out().print("stage " + stage + " of ");
            new ArtifactText(each.manifest, each.plan, console().out()).summary();
        }
        console()
                .out()
                .println(Format.text(
                        "%d stages built in %s in %.1f s; %s of each tells its messages",
                        built.size(), folder, total, StageFile.NAME));
    }

    private Purpose purpose() {
        return gradients ? Purpose.GRADIENTS : Purpose.TRAIN;
    }

    private PlanRecipe recipe(Compilation compilation, ModelSession session) {
        List<Source> sources = session.source().files().stream()
                .map(source -> new Source(model().relative(source.file()), source.text()))
                .toList();
        return PlanRecipe.of(compilation, purpose(), sources, session.settings().byName());
    }

    private void report(Built built, SequencedMap<String, Double> seconds) throws IOException {
        if (output.json()) {
            Json.print(console(), new BuildJson(built.manifest, built.plan, folder, seconds)::writeTo);
        } else {
            ArtifactText text =
                    new ArtifactText(built.manifest, built.plan, console().out());
            text.summary();
            text.line(
                    "built in %s in %.1f s; 'remat inspect %s' shows the kernels",
                    folder,
                    seconds.values().stream().mapToDouble(Double::doubleValue).sum(),
                    folder);
        }
    }
}
