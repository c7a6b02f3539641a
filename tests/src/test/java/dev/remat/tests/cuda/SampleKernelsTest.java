package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.tests.steps.AllCases;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Samples at sizes that people train, all of them if asked for, compile with registers to spare: all kernels for one
 * architecture, and for others those that take time. They are compiled together, because many are the same.
 */
@Tag("slow")
class SampleKernelsTest {
    private static final List<Arguments> EVERY_KIND = List.of(
            arguments("gpt", "B=16,T=128"),
            arguments("lstm", "B=64"),
            arguments("mobilenet", "B=32"),
            arguments("resnet", "B=32"),
            arguments("vit", "B=32"));

    private static final List<Arguments> OTHERS = List.of(
            arguments("autoencoder", "B=64"),
            arguments("bert", "B=16,T=128"),
            arguments("dcgan", "B=64"),
            arguments("ddpm", "B=128"),
            arguments("densenet", "B=32"),
            arguments("llama", "B=16,T=128"),
            arguments("mlp", "B=128"),
            arguments("resnet-cifar", "B=32"),
            arguments("transformer-encdec", "B=32,S=64,T=64"),
            arguments("unet", "B=1"),
            arguments("vae", "B=128"),
            arguments("vgg", "B=32"));

    static List<Arguments> sizes() {
        List<Arguments> sizes = new ArrayList<>(EVERY_KIND);
        sizes.addAll(AllCases.asked() ? OTHERS : List.of());
        return sizes;
    }

    /** What of a step's time a kernel may take and still spill. */
    private static final double SMALL_SHARE = 0.01;

    private static final Map<Architecture, Map<String, KernelUsage>> USAGES = new EnumMap<>(Architecture.class);

    private static RealSample sample(String name, String settings) {
        return RealSample.of(name, settings, "sqrt");
    }

    /** Those that take more of the step's time than {@code least}; with 0 also those that take none. */
    private static List<KernelSource> kernels(RealSample sample, Architecture architecture, double least) {
        KernelProgram program = sample.programs().get(architecture);
        List<Double> shares = KernelTimes.shares(sample.plan(), program, architecture.device());
        return IntStream.range(0, shares.size())
                .filter(i -> least == 0 || shares.get(i) > least)
                .mapToObj(program.kernels()::get)
                .toList();
    }

    @BeforeAll
    static void compileAll() {
        List<RealSample> samples = sizes().stream()
                .map(size -> sample((String) size.get()[0], (String) size.get()[1]))
                .toList();
        Map<Architecture, KernelProgram> distinct = new EnumMap<>(Architecture.class);
        for (Architecture architecture : RealSample.ARCHITECTURES) {
            Map<String, KernelSource> kernels = new LinkedHashMap<>();
            for (RealSample sample : samples) {
                double least = architecture == RealSample.ARCHITECTURES.getFirst() ? 0 : SMALL_SHARE;
                kernels(sample, architecture, least).forEach(kernel -> kernels.put(kernel.symbol(), kernel));
            }
            distinct.put(architecture, new KernelProgram(List.copyOf(kernels.values()), List.of()));
        }
        for (CompiledProgram compiled : new CompileKernels(progress -> {}).run(distinct)) {
            Map<String, KernelUsage> usages = new LinkedHashMap<>();
            for (int i = 0; i < compiled.usages().size(); i++) {
                usages.put(
                        compiled.program().kernels().get(i).symbol(),
                        compiled.usages().get(i));
            }
            USAGES.put(compiled.architecture(), usages);
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void spillsNowhereThatMatters(String name, String settings) {
        RealSample sample = sample(name, settings);
        List<String> spilling = new ArrayList<>();
        for (Architecture architecture : RealSample.ARCHITECTURES) {
            KernelProgram program = sample.programs().get(architecture);
            List<Double> shares = KernelTimes.shares(sample.plan(), program, architecture.device());
            for (int i = 0; i < shares.size(); i++) {
                if (shares.get(i) <= SMALL_SHARE) {
                    continue;
                }
                String symbol = program.kernels().get(i).symbol();
                KernelUsage usage = USAGES.get(architecture).get(symbol);
                if (usage.spills()) {
                    spilling.add("%s %s %.1f%% %s".formatted(architecture, symbol, 100 * shares.get(i), usage));
                }
            }
        }
        assertThat(spilling).as(settings).isEmpty();
    }

    /** Extents are arguments: what a deep network adds is launches. */
    @Test
    void aThousandLayersShareTheirKernels() {
        Map<Architecture, KernelProgram> deep =
                sample("resnet", "B=32,layers=1001").programs();
        for (Architecture architecture : RealSample.ARCHITECTURES) {
            KernelProgram shallow = sample("resnet", "B=32").programs().get(architecture);
            assertThat(deep.get(architecture).kernels()).hasSizeLessThan(120);
            assertThat(deep.get(architecture).launches())
                    .hasSizeGreaterThan(10 * shallow.launches().size());
        }
    }
}
