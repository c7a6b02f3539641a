package dev.remat.compiler.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.RandomModels;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.account.PlanDigest.AtPeak;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PlanSumsTest {
    private static final int MODELS = 25;

    private static PlanAccount account(Compilation compilation) {
        return PlanAccount.of(compilation);
    }

    private static PlanAccount account(int layers, String strategy) {
        return account(TestModels.compile(TestModels.mlp(layers, 16, 8), strategy));
    }

    @Test
    @Tag("slow")
    void accountsForEveryByteAtThePeak() {
        for (int i = 0; i < MODELS; i++) {
            for (String strategy : List.of("keep-all", "sqrt")) {
                Compilation compilation = TestModels.compile(
                        RandomModels.model(i, 3 + i % 12),
                        CompileOptions.defaults().withStrategy(strategy));
                PlanAccount account = account(compilation);
                AtPeak peak = account.atPeak();
                long sum =
                        peak.parameters() + peak.optimizer() + peak.gradients() + peak.activations() + peak.workspace();
                long listed =
                        account.tensorsAtPeak().stream().mapToLong(Stay::bytes).sum();
                assertThat(sum).as("model %d", i).isEqualTo(compilation.memory().peakLiveBytes());
                assertThat(listed).isEqualTo(sum - peak.workspace());
                assertThat(account.maxActivationBytes()).isGreaterThanOrEqualTo(peak.activations());
            }
        }
    }

    @Test
    @Tag("slow")
    void accountsForEveryOperationAndAllOfTheCost() {
        for (int i = 0; i < MODELS; i++) {
            Compilation compilation = TestModels.compile(
                    RandomModels.model(i, 3 + i % 12), CompileOptions.defaults().withStrategy("sqrt"));
            PlanAccount account = account(compilation);
            List<LayerUse> layers = account.layers();
            assertThat(layers.stream().mapToLong(LayerUse::flops).sum())
                    .isEqualTo(account.work().flops());
            assertThat(layers.stream().mapToLong(LayerUse::recomputedFlops).sum())
                    .isEqualTo(account.work().recomputeFlops());
            long cost = layers.stream()
                    .mapToLong(layer -> layer.forwardCost() + layer.backwardCost() + layer.recomputedCost())
                    .sum();
            assertThat(cost).isEqualTo(compilation.evaluation().cost());
            assertThat(layers.stream().mapToLong(LayerUse::retainedBytes).sum())
                    .isEqualTo(account.retained().stream()
                            .mapToLong(RetainedTensor::bytes)
                            .sum());
        }
    }

    @Test
    void tellsPurposesApart() {
        PlanAccount memory = account(3, "keep-all");
        assertThat(memory.atPeak(Kind.PARAMETER))
                .as("3 weights and biases, aligned")
                .isEqualTo(3 * 512);
        assertThat(memory.atPeak(Kind.OPTIMIZER)).as("two moments of each").isEqualTo(6 * 512);
        assertThat(memory.atPeak(Kind.STATISTICS)).isZero();
        assertThat(memory.atPeak(Kind.BATCH)).as("x, targets and step").isEqualTo(512 + 256 + 256);
    }

    @Test
    void countsParametersByLayer() {
        PlanAccount account = account(3, "keep-all");
        assertThat(account.layers())
                .filteredOn(layer -> layer.layer().startsWith("layer."))
                .extracting(LayerUse::layer, LayerUse::parameters)
                .containsExactly(tuple("layer.0", 72L), tuple("layer.1", 72L), tuple("layer.2", 72L));
    }

    @Test
    void recomputesNothingWhereEverythingIsKept() {
        assertThat(account(9, "keep-all").work().recomputeFlops()).isZero();
        assertThat(account(9, "keep-all").work().recomputed()).isZero();
        assertThat(account(9, "sqrt").work().recomputeFlops()).isPositive();
        assertThat(account(9, "sqrt").work().flops())
                .isEqualTo(account(9, "keep-all").work().flops());
    }

    @Test
    void retainsLessWhereItRecomputes() {
        long kept = account(9, "keep-all").retained().stream()
                .mapToLong(RetainedTensor::bytes)
                .sum();
        long sqrt = account(9, "sqrt").retained().stream()
                .mapToLong(RetainedTensor::bytes)
                .sum();
        assertThat(sqrt).isLessThan(kept);
    }

    @Test
    void saysWhatABudgetSpares() {
        Compilation free = TestModels.compile(TestModels.mlp(3, 16, 8), "keep-all");
        assertThat(account(free).spareBytes()).isEmpty();
        Compilation bounded = TestModels.compile(
                free.model(), CompileOptions.defaults().withBudget(free.memory().arenaBytes() + 100));
        assertThat(account(bounded).spareBytes()).hasValue(100);
    }
}
