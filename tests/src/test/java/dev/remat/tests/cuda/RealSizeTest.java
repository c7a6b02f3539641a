package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.codegen.cuda.target.TilePolicy;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.train.SplitStep;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.AllCases;
import dev.remat.tests.steps.StepSample;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels of the samples at their real size, of all samples if asked for. Each is executed in the smallest step that
 * has it: of the same model with a smaller batch, where extents are arguments, or with its tile forced on a smaller
 * product.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RealSizeTest {
    /** A plan that recomputes has almost every kernel of one that does not. */
    private static final List<String> STRATEGIES = AllCases.asked() ? List.of("sqrt", "keep-all") : List.of("sqrt");

    private static final int UNITS = 8;
    private static final long NUMBER = 3;
    /** Operations of what a step may have at most: a few products have no smaller one with the same kernel. */
    private static final double MOST = AllCases.asked() ? Double.MAX_VALUE : 5e8;
    /** Of the largest element. */
    private static final double ERROR = 1e-4;

    /** Symbols of a real training, and smaller ones. */
    private record Size(String model, String real, List<String> smaller) {}

    /** Convolutions, attention, recurrence, norms of all kinds, and products of every layout. */
    private static final List<Size> EVERY_KIND = List.of(
            new Size("gpt", "B=16,T=128", List.of("B=2,T=128", "B=2,T=32")),
            new Size("lstm", "B=64", List.of("B=64,T=2", "B=4,T=2")),
            new Size("mobilenet", "B=32", List.of("B=2")),
            new Size("resnet", "B=32", List.of("B=8", "B=2", "B=2,image=64")),
            new Size("unet", "B=1", List.of("B=1,image=188")));

    private static final List<Size> OTHERS = List.of(
            new Size("autoencoder", "B=64", List.of("B=2")),
            new Size(
                    "bert",
                    "B=16,T=128",
                    List.of(
                            "B=4,T=128,depth=1,vocab=523",
                            "B=1,T=128,depth=1,vocab=523",
                            "B=1,T=32,depth=1",
                            "B=4,T=128,depth=1,vocab=4106")),
            new Size("dcgan", "B=64", List.of("B=2", "B=1")),
            new Size("ddpm", "B=128", List.of("B=8", "B=1", "B=1,image=16")),
            new Size("densenet", "B=32", List.of("B=2")),
            new Size(
                    "gpt",
                    "B=4,T=1024,depth=12,width=768,heads=12,vocab=50257",
                    List.of("B=1,T=32,depth=1,width=768,heads=12,vocab=523")),
            new Size("llama", "B=16,T=128", List.of("B=2,T=128,depth=1", "B=2,T=32,depth=1")),
            new Size("mlp", "B=128", List.of("B=16")),
            new Size("resnet", "B=32,layers=1001", List.of()),
            new Size("resnet-cifar", "B=32", List.of("B=2,depth=29")),
            new Size("transformer-encdec", "B=16,S=64,T=64", List.of("B=2,S=64,T=64", "B=2,S=16,T=16")),
            new Size("vae", "B=128", List.of("B=16")),
            new Size("vgg", "B=32", List.of("B=2", "B=2,image=64")),
            new Size("vit", "B=32", List.of("B=4,depth=1", "B=1,depth=1", "B=1,depth=1,image=64")));

    private static List<Size> sizes() {
        List<Size> sizes = new ArrayList<>(EVERY_KIND);
        sizes.addAll(AllCases.asked() ? OTHERS : List.of());
        return sizes;
    }

    private static final List<CodegenOptions> TILES = tiles();

    private static List<CodegenOptions> tiles() {
        List<CodegenOptions> tiles = new ArrayList<>();
        for (String tile : List.of("plain_32x32", "plain_64x64", "plain_64x128", "plain_128x64", "plain_128x128")) {
            for (boolean whole : List.of(false, true)) {
                tiles.add(new CodegenOptions(false, false, new TilePolicy(tile, whole)));
            }
        }
        return tiles;
    }

    /** Steps that have kernels which are looked for: one, or updates that share a launch. */
    record Found(ExecutionPlan plan, int from, int to, Architecture architecture, CodegenOptions options, double cost) {
        @Override
        public String toString() {
            KernelStep own = plan.steps().get(from);
            return "%s %s, %.3g operations".formatted(plan.model(), own.name(), cost);
        }
    }

    private static final SequencedSet<String> WANTED = new TreeSet<>();
    private static final List<Found> CHOSEN = new ArrayList<>();
    private static ShimPool pool;

    @BeforeAll
    static void chooseTheSmallestSteps() {
        Map<String, Found> smallest = new LinkedHashMap<>();
        for (Size size : sizes()) {
            for (String strategy : STRATEGIES) {
                RealSample real = RealSample.of(size.model, size.real, strategy);
                real.programs().forEach((architecture, program) -> {
                    program.kernels().forEach(kernel -> WANTED.add(kernel.symbol()));
                    offer(real.plan(), program, architecture, CodegenOptions.DEFAULT, smallest);
                });
                for (String smaller : size.smaller) {
                    offer(RealSample.plan(size.model, smaller, strategy), smallest);
                }
            }
        }
        WANTED.removeIf(symbol -> smallest.get(symbol).cost > MOST);
        List<KernelSource> kernels = new ArrayList<>();
        SequencedSet<String> covered = new TreeSet<>();
        for (String symbol : WANTED) {
            if (!covered.contains(symbol)) {
                Found found = smallest.get(symbol);
                CHOSEN.add(found);
                for (KernelSource kernel : program(found).kernels()) {
                    covered.add(kernel.symbol());
                    kernels.add(kernel);
                }
            }
        }
        pool = new ShimPool(kernels, UNITS, KernelBuild.FAST);
    }

    /** Offers a plan's steps as they are chosen, and with every tile forced, whose text no architecture changes. */
    private static void offer(ExecutionPlan plan, Map<String, Found> smallest) {
        for (Architecture architecture : RealSample.ARCHITECTURES) {
            KernelProgram program = CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT);
            offer(plan, program, architecture, CodegenOptions.DEFAULT, smallest);
        }
        for (CodegenOptions forced : TILES) {
            Architecture any = RealSample.ARCHITECTURES.getFirst();
            offer(plan, CudaCodegen.generate(plan, any, forced), any, forced, smallest);
        }
    }

    private static void offer(
            ExecutionPlan plan,
            KernelProgram program,
            Architecture architecture,
            CodegenOptions options,
            Map<String, Found> smallest) {
        List<Launch> launches = program.launches();
        int to = plan.steps().size();
        for (int i = launches.size() - 1; i >= 0; i--) {
            int from = launches.get(i).step();
            to = i + 1 < launches.size() && launches.get(i + 1).step() > from
                    ? launches.get(i + 1).step()
                    : to;
            double cost = plan.steps().subList(from, to).stream()
                    .mapToDouble(RealSizeTest::cost)
                    .sum();
            String symbol = program.kernels().get(launches.get(i).kernel()).symbol();
            Found before = smallest.get(symbol);
            if (before == null || cost < before.cost) {
                smallest.put(symbol, new Found(plan, from, to, architecture, options, cost));
            }
        }
    }

    /** Operations, and elements that are moved. */
    private static double cost(KernelStep step) {
        double cost = step.body().flops();
        for (MemoryRead read : step.reads()) {
            cost += read.bytes();
        }
        for (MemoryWrite write : step.writes()) {
            cost += write.bytes();
        }
        return cost;
    }

    private static ExecutionPlan extracted(Found found) {
        return ExtractStep.run(found.plan, found.from, found.to, new CpuTarget());
    }

    private static KernelProgram program(Found found) {
        return CudaCodegen.generate(extracted(found), found.architecture, found.options);
    }

    static List<Found> chosen() {
        return CHOSEN;
    }

    @ParameterizedTest
    @MethodSource("chosen")
    void agreesWithTheCpu(Found found) {
        ExecutionPlan plan = extracted(found);
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment image = owner.allocate(plan.arenaBytes(), 256);
            Poison.QUIET.fill(image);
            fill(plan, image);
            List<Tensor> want = isForGpus(plan) ? inParts(plan, image) : whole(plan, image);
            List<Tensor> got = pool.with(library -> {
                try (ShimExecutable shim =
                        new ShimExecutable(plan, program(found), library, ShimOrder.BACKWARD, Poison.QUIET)) {
                    shim.write(0, image);
                    shim.run(NUMBER);
                    return results(plan, shim.read(0, plan.arenaBytes()));
                }
            });
            for (int i = 0; i < want.size(); i++) {
                expectNear(got.get(i).data(), want.get(i).data());
            }
        }
    }

    private static List<Tensor> whole(ExecutionPlan plan, MemorySegment image) {
        try (CpuExecutable cpu = new CpuExecutable(plan, new CpuExecutable.Options(1, false))) {
            cpu.write(0, image);
            cpu.run(NUMBER);
            return results(plan, cpu.read(0, plan.arenaBytes()));
        }
    }

    /** Whether the plan is of one kernel that stores results, or computes operands, as kernels of the CPU never do. */
    private static boolean isForGpus(ExecutionPlan plan) {
        KernelStep step = plan.steps().getFirst();
        int anchor = step.body().anchor();
        boolean normalizes = step.body().instructions().stream()
                .anyMatch(each -> each.op() instanceof NormalizeGradient
                        && each.operands().stream().anyMatch(operand -> !(operand instanceof Operand.FromMemory)));
        return plan.steps().size() == 1
                && step.role() != Role.UPDATE
                && (normalizes
                        || step.writes().stream()
                                .anyMatch(write -> !write.isDense()
                                        || step.writes().stream()
                                                .anyMatch(other -> other.instruction() != write.instruction())
                                        || write.instruction() < anchor));
    }

    /** What the plan's only kernel makes, computed operation by operation. */
    private static List<Tensor> inParts(ExecutionPlan plan, MemorySegment image) {
        KernelStep step = plan.steps().getFirst();
        ExecutionPlan parts = SplitStep.run(plan, step);
        Map<String, MemoryWrite> made = new LinkedHashMap<>();
        parts.steps().forEach(part -> part.writes().forEach(write -> made.put(write.name(), write)));
        try (CpuExecutable cpu = new CpuExecutable(parts, new CpuExecutable.Options(1, false))) {
            for (int r = 0; r < step.reads().size(); r++) {
                MemoryRead read = step.read(r);
                cpu.write(parts.inputs().get(r).offset(), image.asSlice(read.offset(), read.bytes()));
            }
            cpu.run(NUMBER);
            MemorySegment arena = cpu.read(0, parts.arenaBytes());
            return step.writes().stream()
                    .map(write -> made.get("part." + write.instruction() + "." + write.result()))
                    .map(write -> TensorBytes.decode(write.type(), arena, write.offset()))
                    .toList();
        }
    }

    /** Positive numbers, for some are variances; small indices, for tables have few rows. */
    private static void fill(ExecutionPlan plan, MemorySegment image) {
        SplittableRandom random = new SplittableRandom(1);
        for (MemoryRead read :
                plan.steps().stream().flatMap(step -> step.reads().stream()).toList()) {
            long elements = read.dtype().elementsIn(read.bytes());
            double[] data = new double[Math.toIntExact(elements)];
            Arrays.setAll(data, i -> read.dtype().isFloat() ? (32 + random.nextInt(97)) / 128.0 : random.nextInt(2));
            TensorBytes.encode(Tensor.of(TensorType.of(read.dtype(), elements), data), image, read.offset());
        }
        plan.stepInputs(NUMBER, 0).forEach((offset, value) -> image.set(ValueLayout.JAVA_LONG, offset, value));
    }

    private static List<Tensor> results(ExecutionPlan plan, MemorySegment arena) {
        return plan.steps().stream()
                .flatMap(step -> step.writes().stream())
                .map(write -> result(write, arena))
                .toList();
    }

    private static Tensor result(MemoryWrite write, MemorySegment arena) {
        DType dtype = write.type().dtype();
        TensorType buffer = TensorType.of(dtype, dtype.elementsIn(write.bytes()));
        Tensor content = TensorBytes.decode(buffer, arena, write.offset());
        return new StepSample.Source(content, write.view()).tensor();
    }

    private static void expectNear(double[] got, double[] want) {
        double largest = Arrays.stream(want)
                .map(Math::abs)
                .filter(Double::isFinite)
                .max()
                .orElse(0);
        for (int i = 0; i < want.length; i++) {
            boolean same = Double.compare(got[i], want[i]) == 0;
            if (!same && !(Math.abs(got[i] - want[i]) <= ERROR * largest)) {
                throw new AssertionError("element %d of %d: %s, not %s".formatted(i, want.length, got[i], want[i]));
            }
        }
    }

    @AfterAll
    static void everyKernelWasExecuted() {
        assertThat(pool.executed()).containsAll(WANTED);
    }
}
