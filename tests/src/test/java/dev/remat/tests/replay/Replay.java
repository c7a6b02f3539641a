package dev.remat.tests.replay;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/**
 * Compiles one sample for one target in many ways. The budget lies halfway from the smallest plan that {@code
 * peak-priority} finds to the one that keeps everything, so that there is always one that fits.
 */
final class Replay {
    private static final CodegenOptions TENSOR_CORES = new CodegenOptions(true, true);
    /** Above so many kernels a budget takes longer than it is worth, because bounds are proven for each. */
    private static final int LARGE = 250;
    /** Up to so many kernels constraint programming ends soon. */
    private static final int SMALL = 100;
    /** It has but one plan. */
    private static final String RIGID = "keep-all";

    private final ReplayText text = new ReplayText();
    private final SampleModel sample;
    private final String settings;
    private final TargetModel target;
    private final List<Architecture> architectures;

    private Replay(SampleModel sample, String settings, TargetModel target, List<Architecture> architectures) {
        this.sample = sample;
        this.settings = settings;
        this.target = target;
        this.architectures = architectures;
    }

    /**
     * Every strategy, without and with a budget, and what else a step can be compiled for. What {@code auto} does with
     * a budget takes long, and is left to {@link #gpuAuto}.
     */
    static ReplayText cpu(String sample, String settings) {
        Replay replay = new Replay(SampleModels.of(sample), settings, new CpuTarget(), List.of());
        int kernels = replay.compile("keep-all").plan().steps().size();
        long budget = replay.halfway();
        for (Planner strategy : Strategies.all()) {
            replay.plan(strategy.name(), options(strategy.name()));
            if (kernels <= LARGE && !RIGID.equals(strategy.name())) {
                replay.plan(strategy.name() + " half", options(strategy.name()).withBudget(budget));
            }
        }
        replay.plan("segments=3", options("segments=3"));
        replay.plan("auto", options("auto"));
        if (kernels <= SMALL) {
            replay.plan("interval-cp half", options("interval-cp").withBudget(budget));
        }
        CompileOptions plain = CompileOptions.defaults();
        replay.compile("gradients", Purpose.GRADIENTS, "f32", plain, CodegenOptions.DEFAULT);
        replay.compile("f64", Purpose.TRAIN, "f64", plain, CodegenOptions.DEFAULT);
        replay.compile("evaluate", Purpose.EVALUATE, "f32", plain, CodegenOptions.DEFAULT);
        replay.compile("bf16", Purpose.TRAIN, "bf16", plain, CodegenOptions.DEFAULT);
        return replay.text;
    }

    /** The kernels of plans that differ, as they are built by default. */
    static ReplayText gpu(String sample, String settings, Architecture architecture) {
        Replay replay = replay(sample, settings, architecture);
        replay.plan("keep-all", options("keep-all"));
        replay.plan("sqrt", options("sqrt"));
        return replay.text;
    }

    /** With all kernels, those that users must ask for among them. */
    static ReplayText gpuTensorCores(String sample, String settings, Architecture architecture) {
        Replay replay = replay(sample, settings, architecture);
        replay.compile("sqrt tensor-cores", Purpose.TRAIN, "f32", options("sqrt"), TENSOR_CORES);
        replay.compile("sqrt tensor-cores bf16", Purpose.TRAIN, "bf16", options("sqrt"), TENSOR_CORES);
        return replay.text;
    }

    /** What {@code auto} does with a budget. */
    static ReplayText gpuAuto(String sample, String settings, Architecture architecture) {
        Replay replay = replay(sample, settings, architecture);
        if (replay.compile("keep-all").plan().steps().size() <= LARGE) {
            replay.plan("auto half", options("auto").withBudget(replay.halfway()));
        }
        return replay.text;
    }

    /** One plan for one or several architectures together. */
    static ReplayText gpuOnce(String sample, String settings, Architecture... architectures) {
        Replay replay = replay(sample, settings, architectures);
        replay.plan("sqrt", options("sqrt"));
        return replay.text;
    }

    private static Replay replay(String sample, String settings, Architecture... architectures) {
        List<Architecture> all = List.of(architectures);
        return new Replay(SampleModels.of(sample), settings, new CudaTarget(all), all);
    }

    private static CompileOptions options(String strategy) {
        return CompileOptions.defaults().withStrategy(strategy).with(Effort.QUICK);
    }

    private long halfway() {
        long most = compile("keep-all").plan().arenaBytes();
        long least = compile("peak-priority").plan().arenaBytes();
        return least + (most - least) / 2;
    }

    private Compilation compile(String strategy) {
        return compiler().compile(elaborate(Purpose.TRAIN, "f32"), options(strategy));
    }

    private void plan(String what, CompileOptions options) {
        compile(what, Purpose.TRAIN, "f32", options, CodegenOptions.DEFAULT);
    }

    private void compile(
            String what, Purpose purpose, String precision, CompileOptions options, CodegenOptions kernels) {
        String name = sample + " " + target.name() + " " + what;
        Compilation made;
        try {
            made = compiler().compile(elaborate(purpose, precision), options);
        } catch (BudgetException e) {
            text.addRefused(name);
            return;
        }
        List<KernelProgram> programs = architectures.stream()
                .map(architecture -> CudaCodegen.generate(made.plan(), architecture, kernels))
                .toList();
        text.add(name, made.search().plan().proposal(), made.plan(), programs);
    }

    private Compiler compiler() {
        return new Compiler(target, new RooflineCost(target.device()));
    }

    private ElaboratedModel elaborate(Purpose purpose, String precision) {
        if (precision.equals("f64")) {
            return elaborate(purpose, "f32").withPrecision(DType.F64);
        }
        try {
            String model = Files.readString(sample.path()).replace("precision f32", "precision " + precision);
            Source source = new Source(sample + ".model", model);
            return Elaborator.elaborate(
                    ModelParser.parse(source, IncludeResolver.NONE), Bindings.parse(List.of(settings)), purpose);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
