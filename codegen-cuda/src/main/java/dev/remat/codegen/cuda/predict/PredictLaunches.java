package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.sass.ControlFlow;
import dev.remat.codegen.cuda.sass.CorruptCubinException;
import dev.remat.codegen.cuda.sass.Cubin;
import dev.remat.codegen.cuda.sass.Encoding;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.CorruptArtifactException;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Counts what every launch of an artifact executes and moves, and predicts how long it takes. */
final class PredictLaunches {
    private final Artifact artifact;
    private final DeviceCode device;
    private final Optional<SassModel> model;
    private final Cubin cubin;
    private final Map<Integer, CompiledKernel> compiled = new LinkedHashMap<>();

    private PredictLaunches(Artifact artifact, DeviceCode device) {
        this.artifact = artifact;
        this.device = device;
        this.model = SassModel.of(device.architecture());
        this.cubin = Cubin.of(device.cubin());
    }

    /**
     * Costs of {@code device}'s launches, in their order.
     *
     * @throws CorruptArtifactException if its cubin is damaged
     */
    static List<LaunchCost> run(Artifact artifact, DeviceCode device) {
        try {
            return new PredictLaunches(artifact, device).costs();
        } catch (CorruptCubinException e) {
            throw new CorruptArtifactException(
                    artifact.folder(), ArtifactFile.cubin(device.architecture()) + " " + e.getMessage());
        }
    }

    private List<LaunchCost> costs() {
        List<LaunchCost> costs = new ArrayList<>();
        for (StepRun run : StepRun.of(device.launches(), artifact.plan())) {
            StepTraffic traffic = new StepTraffic(run, artifact.manifest().kernels());
            for (Launch launch : run.launches()) {
                costs.add(cost(launch, run.steps().getFirst(), traffic.of(launch)));
            }
        }
        return costs;
    }

    private LaunchCost cost(Launch launch, KernelStep step, Traffic traffic) {
        CompiledKernel kernel = compiled.computeIfAbsent(launch.kernel(), this::compiled);
        double efficiency = Efficiency.of(kernel.entry(), step.body());
        Optional<ProductTime> product = ProductShape.of(kernel.entry(), launch)
                .flatMap(shape -> ProductTime.of(kernel, launch, shape, operandBytes(step.body())));
        if (product.isPresent()) {
            return cost(
                    traffic,
                    product.get().flops(),
                    rates -> Math.max(product.get().nanos(rates), rates.memoryNanos(traffic.bytes(), efficiency)));
        }
        Optional<AttentionTime> attention = AttentionShape.of(
                        step.body(), kernel.entry().symbol())
                .map(shape -> AttentionTime.of(kernel, launch, shape));
        if (attention.isPresent()) {
            return cost(
                    traffic,
                    attention.get().flops(),
                    rates -> Math.max(attention.get().nanos(rates), rates.memoryNanos(traffic.bytes(), efficiency)));
        }
        StreamTime stream = StreamTime.of(kernel, launch, traffic);
        return cost(traffic, stream.flops(), rates -> stream.nanos(rates, efficiency));
    }

    private interface Time {
        double nanos(SassModel rates);
    }

    private LaunchCost cost(Traffic traffic, double flops, Time time) {
        OptionalDouble nanos = model.isPresent() ? OptionalDouble.of(time.nanos(model.get())) : OptionalDouble.empty();
        return new LaunchCost(traffic, flops, nanos);
    }

    private static int operandBytes(KernelBody body) {
        return body.operandTypes(body.instructions().get(body.anchor())).stream()
                .filter(type -> type.dtype().isFloat())
                .mapToInt(type -> type.dtype().bytes())
                .findFirst()
                .orElse(Float.BYTES);
    }

    private CompiledKernel compiled(int row) {
        ArtifactKernel kernel = artifact.manifest().kernels().get(row);
        KernelCode code = kernel.on(device.architecture())
                .orElseThrow(() -> new CorruptArtifactException(
                        artifact.folder(), kernel.entry().symbol() + " is not compiled for " + device.architecture()));
        ControlFlow flow = ControlFlow.of(cubin.kernel(kernel.entry().symbol(), Encoding.of(device.architecture())));
        return new CompiledKernel(kernel.entry(), code.usage(), flow);
    }
}
