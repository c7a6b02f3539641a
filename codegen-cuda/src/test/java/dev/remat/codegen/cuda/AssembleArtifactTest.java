package dev.remat.codegen.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactContent;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.artifact.ArtifactWriter;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Constant;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssembleArtifactTest {
    private static final KernelSource FILL = kernel("fill_1", "A\n");
    private static final KernelSource PLAIN = kernel("matmul_plain_2", "B\n");
    private static final KernelSource TENSOR = kernel("matmul_mma_3", "C\n");

    @TempDir
    Path folder;

    private static KernelSource kernel(String symbol, String text) {
        return new KernelSource(
                new KernelEntry(symbol, symbol.split("_")[0], List.of(ParameterType.POINTER), 64, true, ""),
                List.of(),
                text);
    }

    private static Launch launch(int kernel, int blocks) {
        return new Launch(0, kernel, Extent3.of(blocks), Extent3.of(64), 0, List.of(0L));
    }

    private static CompiledProgram compiled(Architecture architecture, List<KernelSource> kernels, Launch... launches) {
        List<KernelUsage> usages = kernels.stream()
                .map(kernel -> new KernelUsage(architecture.ordinal() + 10, 0, 0, 0, 0, 0, 0))
                .toList();
        return new CompiledProgram(
                architecture,
                new KernelProgram(kernels, List.of(launches)),
                ByteBuffer.wrap(new byte[] {1, 2, (byte) architecture.ordinal()}),
                usages);
    }

    private static ArtifactContent assemble(CompiledProgram... programs) {
        TensorType number = TensorType.scalar(DType.F32);
        KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, Location.NONE);
        step.add(new Constant(1, number), List.of(number), List.of());
        ExecutionPlan plan = new ExecutionPlan(
                "M",
                "ab",
                "sm_80",
                1,
                256,
                List.of(),
                List.of(step.build()),
                List.of(new PlanOutput("loss", 0, number, 0, 0)));
        BuildInfo build = new BuildInfo("0", "13", "keep-all", List.of(), new LinkedHashMap<>());
        return AssembleArtifact.run(build, plan, List.of(programs), true);
    }

    @Test
    void kernelsThatArchitecturesShareAreOneRow() throws IOException {
        ArtifactContent content = assemble(
                compiled(Architecture.SM_80, List.of(PLAIN, FILL), launch(0, 3), launch(1, 1), launch(0, 5)),
                compiled(Architecture.SM_90A, List.of(FILL, TENSOR), launch(1, 2), launch(0, 4)));
        assertThat(content.kernels())
                .extracting(kernel -> kernel.entry().symbol())
                .containsExactly("matmul_plain_2", "fill_1", "matmul_mma_3");
        assertThat(content.kernels().get(1).code())
                .extracting(KernelCode::architecture)
                .containsExactly("sm_80", "sm_90a");
        assertThat(content.kernels().get(1).on("sm_90a").orElseThrow().usage().registers())
                .isEqualTo(13);
        assertThat(content.kernels().get(0).on("sm_90a")).isEmpty();
        assertThat(content.kernels().get(0).on("sm_80").orElseThrow().use().launches())
                .isEqualTo(2);
        assertThat(content.devices().get(1).launches()).containsExactly(launch(2, 2), launch(1, 4));
        assertThat(content.source()).contains("A\n", "B\n", "C\n");
        assertThat(content.extras()).containsOnlyKeys("step.h", "step.cc");

        ArtifactWriter.write(folder.resolve("built"), content);
        Artifact read = ArtifactReader.read(folder.resolve("built"));
        assertThat(read.devices()).isEqualTo(content.devices());
        assertThat(read.manifest().kernels())
                .extracting(ArtifactKernel::entry)
                .containsExactly(PLAIN.entry(), FILL.entry(), TENSOR.entry());
    }

    @Test
    void programsThatDisagreeAreRefused() {
        CompiledProgram one = compiled(Architecture.SM_80, List.of(FILL), launch(0, 1));
        CompiledProgram other = compiled(Architecture.SM_86, List.of(kernel("fill_1", "D\n")), launch(0, 1));
        assertThatThrownBy(() -> assemble(one, other)).hasMessageContaining("two kernels are called fill_1");
        CompiledProgram idle = compiled(Architecture.SM_80, List.of(FILL, PLAIN), launch(0, 1));
        assertThatThrownBy(() -> assemble(idle)).hasMessageContaining("matmul_plain_2 is never launched");
    }
}
