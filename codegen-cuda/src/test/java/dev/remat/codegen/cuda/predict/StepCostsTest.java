package dev.remat.codegen.cuda.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.BuildArtifact;
import dev.remat.codegen.cuda.CompilePlan;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.StepFixture;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.sass.ControlFlow;
import dev.remat.codegen.cuda.sass.Cubin;
import dev.remat.codegen.cuda.sass.Encoding;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactContent;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.artifact.ArtifactWriter;
import dev.remat.ir.artifact.CorruptArtifactException;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps of one operation, compiled. */
class StepCostsTest {
    private static final CodegenOptions ALL = new CodegenOptions(true, false);

    @TempDir
    Path folder;

    private Artifact built(StepFixture step, Architecture architecture) throws IOException {
        return built(step.plan(architecture), architecture);
    }

    private Artifact built(ExecutionPlan plan, Architecture architecture) throws IOException {
        ArtifactContent content = new BuildArtifact(new CompilePlan(new CompileKernels(_ -> {}), ALL), List.of(), false)
                .run(plan, List.of(architecture), "0", "keep-all", new LinkedHashMap<>(), _ -> {});
        ArtifactWriter.write(folder.resolve("artifact"), content);
        return ArtifactReader.read(folder.resolve("artifact"));
    }

    private StepCosts costs(StepFixture step) throws IOException {
        Artifact artifact = built(step, Architecture.SM_90A);
        return StepCosts.of(artifact, artifact.devices().getFirst());
    }

    private static StepFixture product(long rows, long columns, long terms, Op after) {
        StepFixture step = new StepFixture();
        TensorType a = TensorType.of(DType.BF16, rows, terms);
        TensorType b = TensorType.of(DType.BF16, columns, terms);
        MatMul op = new MatMul(false, true);
        TensorType type = op.infer(List.of(a, b)).getFirst();
        Operand result = step.apply(op, type, step.read(a), step.read(b));
        step.write(after == null ? result : step.apply(after, type, result));
        step.workspace(new CudaTarget(Architecture.SM_90A).workspaceBytes(op, List.of(a, b), List.of(type)));
        return step;
    }

    private static long count(Artifact artifact, int row, Opcode opcode) {
        DeviceCode device = artifact.devices().getFirst();
        ArtifactKernel kernel = artifact.manifest().kernels().get(row);
        ControlFlow flow = ControlFlow.of(
                Cubin.of(device.cubin()).kernel(kernel.entry().symbol(), Encoding.of(device.architecture())));
        CompiledKernel compiled =
                new CompiledKernel(kernel.entry(), kernel.code().getFirst().usage(), flow);
        return compiled.count(compiled.multiplying().orElseThrow(), opcode);
    }

    /** By the text of gemm_tensor.cuh: 4 x 8 fragments of sums, two steps of 16 terms, 384 rows of 64 bytes to copy. */
    @Test
    void aTileOfTensorCoresHasTheInstructionsThatItMustHave() throws IOException {
        Artifact artifact = built(product(65536, 2304, 768, null), Architecture.SM_80);
        assertThat(artifact.manifest().kernels())
                .singleElement()
                .satisfies(kernel -> assertThat(kernel.entry().symbol()).contains("_nt_128x256_"));
        assertThat(count(artifact, 0, Opcode.HMMA)).isEqualTo(4 * 8 * 2);
        assertThat(count(artifact, 0, Opcode.LDSM)).isEqualTo((4 + 4) * 2);
        assertThat(count(artifact, 0, Opcode.LDGSTS)).isEqualTo(384 * 64 / 16 / 256);
        assertThat(count(artifact, 0, Opcode.BAR)).isEqualTo(1);
        assertThat(count(artifact, 0, Opcode.LDG)).isZero();
    }

    /** By the text of gemm_warpgroup.cuh: four steps of 16 terms, 384 rows of 128 bytes to copy by 512 threads. */
    @Test
    void aTileOfGroupsOfWarpsHasTheInstructionsThatItMustHave() throws IOException {
        Artifact artifact = built(product(65536, 2304, 768, null), Architecture.SM_90A);
        assertThat(artifact.manifest().kernels())
                .singleElement()
                .satisfies(kernel -> assertThat(kernel.entry().symbol()).startsWith("gemm_warpgroup_bf16_nt_128x256_"));
        assertThat(count(artifact, 0, Opcode.HGMMA)).isEqualTo(4);
        assertThat(count(artifact, 0, Opcode.LDGSTS)).isEqualTo(384 * 128 / 16 / 512);
        assertThat(count(artifact, 0, Opcode.BAR)).isEqualTo(1);
        assertThat(count(artifact, 0, Opcode.LDG)).isZero();
    }

    /** 82 % of the peak at 1.7 GHz would be 0.31 ms in whole waves; loads, barriers and stores come on top. */
    @Test
    void productsTakeWholeWavesOfRounds() throws IOException {
        double waves = Math.ceil(512 * 9 / 132.0);
        double multiplying = waves * (768 / 64) * (4 * 16 / 4) * 78 / 1.70e9 * 1e3;
        StepCosts plain = costs(product(65536, 2304, 768, null));
        assertThat(plain.total().millis()).isBetween(1.1 * multiplying, 1.4 * multiplying);
        assertThat(plain.millis()).isEqualTo(plain.total().millis() + 1.3e-3, within(1e-9));
        double twice = costs(product(65536, 2304, 2 * 768, null)).total().millis();
        assertThat(twice)
                .isBetween(1.8 * plain.total().millis(), 2 * plain.total().millis());
        double activated = costs(product(65536, 2304, 768, new Unary(Unary.Kind.GELU_TANH)))
                .total()
                .millis();
        assertThat(activated)
                .as("an epilogue that computes")
                .isGreaterThan(1.05 * plain.total().millis());
    }

    @Test
    void splitSumsAreWrittenAndReadOnce() throws IOException {
        StepCosts costs = costs(product(768, 768, 65536, null));
        long operands = 2L * 768 * 65536 * 2;
        long result = 768 * 768 * 2;
        CostSum total = costs.total();
        assertThat(total.launches()).isEqualTo(2);
        assertThat((total.bytes() - operands - result) % (2L * 768 * 768 * 4))
                .as("partial sums, once written and once read")
                .isZero();
        assertThat(costs.tensorBytes()).isEqualTo(operands + result);
        assertThat(costs.flopsShare(0)).isGreaterThan(0.99);
        assertThat(costs.groups()).containsOnlyKeys(KernelGroup.PRODUCTS);
    }

    @Test
    void elementwiseKernelsTakeWhatTheirBytesTake() throws IOException {
        TensorType type = TensorType.of(DType.BF16, 1L << 16, 1L << 12);
        Binary add = new Binary(Binary.Kind.ADD);
        StepFixture dense = new StepFixture();
        dense.write(dense.apply(add, type, dense.read(type), dense.read(type)));
        CostSum three = costs(dense).total();
        assertThat(three.bytes()).isEqualTo(3 * type.bytes());
        assertThat(three.millis()).isEqualTo(3.0 * type.bytes() / (0.88 * 3.0e12) * 1e3, within(1e-6));

        StepFixture repeated = new StepFixture();
        StridedView row = new StridedView(0, List.of(1L << 16, 1L << 12), List.of(0L, 1L));
        repeated.write(repeated.apply(add, type, repeated.read(type), repeated.read(DType.BF16, row, 2L << 12)));
        assertThat(costs(repeated).total().bytes()).isEqualTo(2 * type.bytes() + (2L << 12));
    }

    private static StepFixture attentionGradient(boolean causal) {
        TensorType heads = TensorType.of(DType.BF16, 8, 12, 1024, 64);
        TensorType lse = TensorType.of(DType.F32, 8, 12, 1024);
        AttentionGradient op = new AttentionGradient(new Attention(0.125, causal, false));
        StepFixture step = new StepFixture();
        List<TensorType> operands = List.of(heads, heads, heads, heads, heads, lse);
        List<TensorType> types = op.infer(operands);
        step.apply(op, types, operands.stream().map(step::read).toArray(Operand[]::new));
        for (int result = 0; result < types.size(); result++) {
            step.write(new Operand.FromInstruction(0, result));
        }
        step.workspace(new CudaTarget(Architecture.SM_90A).workspaceBytes(op, operands, types));
        return step;
    }

    /** Queries' gradients take three products, those of keys and values four. */
    @Test
    void aStepsArithmeticIsSplitByWhatEachKernelExecutes() throws IOException {
        Artifact artifact = built(attentionGradient(true), Architecture.SM_90A);
        StepCosts costs = StepCosts.of(artifact, artifact.devices().getFirst());
        assertThat(artifact.manifest().kernels())
                .extracting(kernel -> kernel.entry().symbol().replaceAll("_bf16.*", ""))
                .containsExactly("attention_delta", "attention_tensor_dq", "attention_tensor_dkdv");
        assertThat(costs.flopsShare(0)).isLessThan(0.01);
        assertThat(costs.flopsShare(1) / costs.flopsShare(2)).isEqualTo(0.75, within(0.001));
        assertThat(costs.flopsShare(0) + costs.flopsShare(1) + costs.flopsShare(2))
                .isEqualTo(1, within(1e-9));
        StepCosts all = costs(attentionGradient(false));
        double half = costs.kernels().get(2).millis() / all.kernels().get(2).millis();
        assertThat(half).as("blocks of 128 keys against tiles of 64 queries").isEqualTo(72 / 128.0, within(1e-9));
    }

    /** A round costs what the step would cost that runs once. */
    @Test
    void roundsAddUp() throws IOException {
        StepFixture step = product(768, 768, 65536, null);
        StepCosts once = costs(step);
        ExecutionPlan plan = step.plan(Architecture.SM_90A);
        Section rounds = new Section(0, 1, 4);
        ExecutionPlan cut = new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                plan.inputs(),
                plan.steps(),
                List.of(rounds),
                plan.outputs(),
                Transfers.NONE);
        Artifact artifact = built(cut, Architecture.SM_90A);
        StepCosts four = StepCosts.of(artifact, artifact.devices().getFirst());
        assertThat(artifact.devices().getFirst().launches()).hasSize(2);
        assertThat(four.total()).isEqualTo(once.total().times(4));
        assertThat(four.tensorBytes()).isEqualTo(4 * once.tensorBytes());
        assertThat(four.millis()).isEqualTo(4 * once.millis(), within(1e-9));
        assertThat(four.millis(rounds)).isEqualTo(four.millis());
        assertThat(four.flopsShare(0)).isEqualTo(once.flopsShare(0), within(1e-12));
        assertThat(StepCosts.profile(artifact, artifact.devices().getFirst())
                        .orElseThrow()
                        .kernels())
                .singleElement()
                .satisfies(kernel -> assertThat(kernel.nanos()).isEqualTo(Math.round(once.millis() * 1e6)));
    }

    @Test
    void otherArchitecturesHaveCountsWithoutTimes() throws IOException {
        Artifact artifact = built(product(65536, 2304, 768, null), Architecture.SM_80);
        StepCosts costs = StepCosts.of(artifact, artifact.devices().getFirst());
        assertThat(costs.model()).isEmpty();
        assertThat(costs.millis()).isZero();
        assertThat(costs.total().bytes()).isEqualTo(2L * (65536 * 768 + 2304 * 768 + 65536L * 2304));
        assertThat(costs.flopsShare(0)).isEqualTo(1);
        assertThat(StepCosts.profile(artifact, artifact.devices().getFirst())).isEmpty();
    }

    @Test
    void aDamagedCubinIsRefused() throws IOException {
        Artifact artifact = built(product(512, 512, 512, null), Architecture.SM_90A);
        DeviceCode device = artifact.devices().getFirst();
        byte[] bytes = new byte[device.cubin().limit() / 2];
        device.cubin().get(bytes);
        DeviceCode half = new DeviceCode(device.architecture(), device.launches(), ByteBuffer.wrap(bytes));
        assertThatThrownBy(() -> StepCosts.of(artifact, half))
                .isInstanceOf(CorruptArtifactException.class)
                .hasMessageContaining("kernels.sm_90a.cubin ends before its table of sections");
    }

    @Test
    void profilesHaveEachKernelOnce() throws IOException {
        Artifact artifact = built(product(65536, 2304, 768, null), Architecture.SM_90A);
        StepCosts costs = StepCosts.of(artifact, artifact.devices().getFirst());
        var profile = StepCosts.profile(artifact, artifact.devices().getFirst()).orElseThrow();
        assertThat(profile.target()).isEqualTo("sm_90a");
        assertThat(profile.predictor()).contains("sass:sm_90a");
        assertThat(profile.kernels()).singleElement().satisfies(kernel -> {
            assertThat(kernel.family()).isEqualTo("matmul");
            assertThat(kernel.nanos()).isEqualTo(Math.round(costs.millis() * 1e6));
        });
    }
}
