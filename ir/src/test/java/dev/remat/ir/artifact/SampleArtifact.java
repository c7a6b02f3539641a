package dev.remat.ir.artifact;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** A small artifact for two architectures; its kernels compute nothing. */
final class SampleArtifact {
    static final KernelEntry ADD = new KernelEntry(
            "add_f32_0123456789ab",
            "elementwise",
            List.of(ParameterType.POINTER, ParameterType.POINTER, ParameterType.U32, ParameterType.F32),
            256,
            true,
            "m.model:3:7");
    static final KernelEntry GEMM = new KernelEntry(
            "matmul_bf16_ba9876543210", "matmul", List.of(ParameterType.POINTER, ParameterType.I64), 128, false, "");
    static final List<Launch> LAUNCHES = List.of(
            new Launch(0, 0, Extent3.of(4), Extent3.of(256), 0, List.of(0L, 256L, 1024L, 0x3f800000L)),
            new Launch(1, 1, Extent3.of(2, 3), Extent3.of(32, 4), 49152, List.of(512L, -7L)),
            new Launch(1, 0, Extent3.of(1), Extent3.of(64), 0, List.of(-1L, 1024L, 0xffff_ffffL, 0L)));

    private SampleArtifact() {}

    static ExecutionPlan plan() {
        return planOf(new KernelStepBuilder("y", Role.FORWARD, new Location("m.model", 3, 7)).build());
    }

    private static ExecutionPlan planOf(KernelStep step) {
        TensorType type = TensorType.of(DType.F32, 8);
        ArenaTensor input =
                new ArenaTensor(0, "x", type, InputKind.DATA, Initializer.ZEROS, 0, new Location("m.model", 2, 1));
        return new ExecutionPlan(
                "M",
                "ab12",
                "sm_80,sm_90a",
                7,
                1024,
                List.of(input),
                List.of(step, step),
                List.of(new PlanOutput("loss", 0, type, 0, 0)));
    }

    static ArtifactContent content() {
        return content(plan());
    }

    /** An artifact whose steps are all {@code step}. */
    static ArtifactContent content(KernelStep step) {
        return content(planOf(step));
    }

    private static ArtifactContent content(ExecutionPlan plan) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("B", "16");
        settings.put("A", "x\"y");
        SequencedMap<String, String> extras = new LinkedHashMap<>();
        extras.put("step.h", "int remat;\n");
        return new ArtifactContent(
                new BuildInfo("0.1", "13.1", "sqrt", List.of("c-abi"), settings),
                plan,
                kernels(),
                "// Größe\n",
                List.of(device("sm_80"), device("sm_90a")),
                extras);
    }

    static List<ArtifactKernel> kernels() {
        return List.of(
                new ArtifactKernel(ADD, List.of(code("sm_80", 0), code("sm_90a", 0))),
                new ArtifactKernel(GEMM, List.of(code("sm_80", 1), code("sm_90a", 1))));
    }

    private static KernelCode code(String architecture, int kernel) {
        LaunchUse use = LaunchUse.of(2, LAUNCHES).get(kernel).orElseThrow();
        return new KernelCode(architecture, new KernelUsage(40, 1, 8, 4, 12, 1024, 364), use);
    }

    private static DeviceCode device(String architecture) {
        ByteBuffer cubin = ByteBuffer.allocate(32);
        for (int i = 0; i < cubin.capacity(); i++) {
            cubin.put(i, (byte) (i * 37 + architecture.length()));
        }
        return new DeviceCode(architecture, LAUNCHES, cubin);
    }
}
