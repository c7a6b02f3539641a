package dev.remat.compiler.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.RandomModels;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.report.MemoryUse.LiveTensor;
import dev.remat.compiler.report.MemoryUse.Purpose;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanReportTest {
    private static final int MODELS = 25;

    private static PlanReport report(Compilation compilation) {
        return PlanReport.of(compilation);
    }

    private static PlanReport report(int layers, String strategy) {
        return report(TestModels.compile(TestModels.mlp(layers, 16, 8), strategy));
    }

    @Test
    void accountsForEveryByteAtThePeak() {
        for (int i = 0; i < MODELS; i++) {
            for (String strategy : List.of("keep-all", "sqrt")) {
                Compilation compilation = TestModels.compile(
                        RandomModels.model(i, 3 + i % 12),
                        CompileOptions.defaults().withStrategy(strategy));
                MemoryUse memory = report(compilation).memory();
                long sum = memory.atPeak().values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                long listed = memory.tensorsAtPeak().stream()
                        .mapToLong(LiveTensor::bytes)
                        .sum();
                assertThat(sum).as("model %d", i).isEqualTo(compilation.memory().peakLiveBytes());
                assertThat(listed).isEqualTo(sum - memory.atPeak(Purpose.WORKSPACE));
                assertThat(memory.maxActivationBytes()).isGreaterThanOrEqualTo(memory.activationBytesAtPeak());
            }
        }
    }

    @Test
    void accountsForEveryOperationAndAllOfTheCost() {
        for (int i = 0; i < MODELS; i++) {
            Compilation compilation = TestModels.compile(
                    RandomModels.model(i, 3 + i % 12), CompileOptions.defaults().withStrategy("sqrt"));
            PlanReport report = report(compilation);
            List<LayerUse> layers = report.layers();
            assertThat(layers.stream().mapToLong(LayerUse::flops).sum())
                    .isEqualTo(report.work().flops());
            assertThat(layers.stream().mapToLong(LayerUse::recomputedFlops).sum())
                    .isEqualTo(report.work().recomputeFlops());
            long cost = layers.stream()
                    .mapToLong(layer -> layer.forwardCost() + layer.backwardCost() + layer.recomputedCost())
                    .sum();
            assertThat(cost).isEqualTo(compilation.evaluation().cost());
            assertThat(layers.stream().mapToLong(LayerUse::retainedBytes).sum())
                    .isEqualTo(report.retained().stream()
                            .mapToLong(RetainedTensor::bytes)
                            .sum());
        }
    }

    @Test
    void tellsPurposesApart() {
        MemoryUse memory = report(3, "keep-all").memory();
        assertThat(memory.atPeak(Purpose.PARAMETER))
                .as("3 weights and biases, aligned")
                .isEqualTo(3 * 512);
        assertThat(memory.atPeak(Purpose.OPTIMIZER)).as("two moments of each").isEqualTo(6 * 512);
        assertThat(memory.atPeak(Purpose.STATE)).isZero();
        assertThat(memory.atPeak(Purpose.DATA)).as("x, targets and step").isEqualTo(512 + 256 + 256);
    }

    @Test
    void countsParametersByLayer() {
        PlanReport report = report(3, "keep-all");
        assertThat(report.layers())
                .filteredOn(layer -> layer.layer().startsWith("layer."))
                .extracting(LayerUse::layer, LayerUse::parameters)
                .containsExactly(tuple("layer.0", 72L), tuple("layer.1", 72L), tuple("layer.2", 72L));
    }

    @Test
    void recomputesNothingWhereEverythingIsKept() {
        assertThat(report(9, "keep-all").work().recomputeFlops()).isZero();
        assertThat(report(9, "keep-all").work().recomputed()).isZero();
        assertThat(report(9, "sqrt").work().recomputeFlops()).isPositive();
        assertThat(report(9, "sqrt").work().flops())
                .isEqualTo(report(9, "keep-all").work().flops());
    }

    @Test
    void retainsLessWhereItRecomputes() {
        long kept = report(9, "keep-all").retained().stream()
                .mapToLong(RetainedTensor::bytes)
                .sum();
        long sqrt = report(9, "sqrt").retained().stream()
                .mapToLong(RetainedTensor::bytes)
                .sum();
        assertThat(sqrt).isLessThan(kept);
    }

    @Test
    void saysWhatABudgetSpares() {
        Compilation free = TestModels.compile(TestModels.mlp(3, 16, 8), "keep-all");
        assertThat(report(free).spareBytes()).isEmpty();
        Compilation bounded = TestModels.compile(
                free.model(), CompileOptions.defaults().withBudget(free.memory().arenaBytes() + 100));
        assertThat(report(bounded).spareBytes()).hasValue(100);
    }
}
