package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.tests.cuda.PlantedSamples.Sample;
import dev.remat.tests.cuda.ShimSource.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A test of the tests: mistakes put into the text of the kernels must show, each in a sample that the kernels as they
 * are pass.
 */
@Tag("slow")
class PlantedBugsTest {
    static final List<PlantedBug> BUGS = Stream.of(PlantedBug.ALL, PlantedRangeBugs.ALL)
            .flatMap(List::stream)
            .toList();

    static final List<String> SAMPLES =
            BUGS.stream().map(PlantedBug::sample).distinct().toList();

    private static final Map<String, Sample> MADE = PlantedSamples.make(SAMPLES);
    private static final ShimLibrary LIBRARY = ShimLibrary.ofUnits(units());

    private static List<Unit> units() {
        List<Unit> units = new ArrayList<>();
        Map<String, KernelSource> right = new LinkedHashMap<>();
        MADE.values()
                .forEach(sample -> sample.step().program().kernels().forEach(k -> right.putIfAbsent(k.symbol(), k)));
        right.values().forEach(kernel -> units.add(new Unit(List.of(kernel), ComposeSource::resource)));
        BUGS.forEach(bug -> units.add(new Unit(wrong(bug), bug::header)));
        return units;
    }

    /** The kernels of the bug's sample under names of their own. */
    private static List<KernelSource> wrong(PlantedBug bug) {
        return MADE.get(bug.sample()).step().program().kernels().stream()
                .map(kernel -> named(bug.name() + "_" + kernel.symbol(), kernel))
                .toList();
    }

    private static KernelSource named(String symbol, KernelSource kernel) {
        KernelEntry entry = kernel.entry();
        return new KernelSource(
                new KernelEntry(
                        symbol,
                        entry.family(),
                        entry.parameters(),
                        entry.threads(),
                        entry.verified(),
                        entry.location()),
                kernel.headers(),
                kernel.text().replace(kernel.symbol(), symbol));
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void kernelsAsTheyAreRight(String sample) {
        assertThatCode(() -> MADE.get(sample).check(LIBRARY)).doesNotThrowAnyException();
    }

    /** No step is run that is large enough for it. */
    @Test
    void anOffsetOfThirtyTwoBitsDoesNotCompile() {
        PlantedBug bug = new PlantedBug(
                "loss_gradient_counts_in_32_bits",
                "cross_entropy.cuh",
                "const u64 offset = row * packs * V;",
                "const u32 offset = row * packs * V;",
                "loss gradient");
        List<KernelSource> kernels = PlantedSamples.make(List.of(bug.sample()))
                .get(bug.sample())
                .step()
                .program()
                .kernels();
        assertThatCode(() -> ShimLibrary.ofUnits(List.of(new Unit(kernels, ComposeSource::resource))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> ShimLibrary.ofUnits(List.of(new Unit(kernels, bug::header))))
                .hasMessageContaining("cross_entropy.cuh")
                .hasMessageContaining("[-Werror=conversion]");
    }

    /** Nor one that is large enough for it. */
    @Test
    void aProductThatIsWidenedTooLateIsFound() {
        PlantedBug bug = new PlantedBug(
                "offsets_of_operands_in_32_bits",
                "gemm.cuh",
                "return static_cast<u64>(index) * stride;",
                "return static_cast<u64>(index * stride);",
                "tensor product");
        assertThat(LateWidening.in(bug.header(bug.header()))).containsExactly("index * stride");
        assertThat(LateWidening.in(ComposeSource.resource(bug.header()))).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("BUGS")
    void theBugShows(PlantedBug bug) {
        Sample sample = MADE.get(bug.sample());
        Sample wrong = new Sample(sample.op(), sample.step().with(wrong(bug)));
        assertThatThrownBy(() -> wrong.check(LIBRARY)).isInstanceOfAny(AssertionError.class, ShimException.class);
    }
}
