package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.tests.samples.SampleModels;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A sample at a size that people train, compiled for GPUs; whichever test asks first makes it for all. */
record RealSample(ExecutionPlan plan, Map<Architecture, KernelProgram> programs) {
    static final List<Architecture> ARCHITECTURES = List.of(Architecture.SM_80, Architecture.SM_90A);

    private static final Map<Key, RealSample> MADE = new ConcurrentHashMap<>();

    private record Key(String model, String settings, String strategy) {}

    static RealSample of(String model, String settings, String strategy) {
        return MADE.computeIfAbsent(new Key(model, settings, strategy), RealSample::make);
    }

    private static RealSample make(Key key) {
        ExecutionPlan plan = plan(key.model, key.settings, key.strategy);
        Map<Architecture, KernelProgram> programs = new EnumMap<>(Architecture.class);
        for (Architecture architecture : ARCHITECTURES) {
            programs.put(architecture, CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT));
        }
        return new RealSample(plan, programs);
    }

    /** A plan that nobody else asks for. */
    static ExecutionPlan plan(String model, String settings, String strategy) {
        CudaTarget target = new CudaTarget(ARCHITECTURES);
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(
                        SampleModels.of(model).sized(settings),
                        CompileOptions.defaults().withStrategy(strategy))
                .plan();
    }
}
