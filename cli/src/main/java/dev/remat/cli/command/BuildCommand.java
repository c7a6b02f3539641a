package dev.remat.cli.command;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.StopWatch;
import dev.remat.cli.console.Version;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.KernelOptions;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.report.ArtifactText;
import dev.remat.cli.report.BuildJson;
import dev.remat.cli.trained.DescribeRun;
import dev.remat.codegen.cuda.BuildArtifact;
import dev.remat.codegen.cuda.CompilePlan;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.Compilation;
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
import dev.remat.ir.execution.RelocatePlan;
import dev.remat.runtime.checkpoint.RunFile;
import java.io.IOException;
import java.nio.file.Path;
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
            "  remat build samples/resnet.model --set B=32 --arch sm_90a --budget 60%% --c-abi -o resnet"
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
        ArtifactWriter.check(folder);
        StopWatch watch = new StopWatch();
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
