package dev.remat.compiler.account;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.KernelProfile;
import dev.remat.ir.target.KernelSignature;
import dev.remat.ir.target.KernelTime;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.UnitCost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class CostComparisonTest {
    private static final TestTarget TARGET = new TestTarget();
    private static final ElaboratedModel MODEL = TestModels.model(TestModels.mlp(12, 64, 16), TestModels.ADAM);

    private static Compilation compile(CostModel costs, CompileOptions options) {
        return new Compiler(TARGET, costs).compile(MODEL, options);
    }

    private static Compilation keepAll(CostModel costs) {
        return compile(costs, CompileOptions.defaults());
    }

    /** A profile of the kernels wanted, each with a time of its own. */
    private static ProfileCost profile(Predicate<KernelSignature> wanted, ToLongFunction<KernelSignature> nanos) {
        Map<String, KernelWork> works = new LinkedHashMap<>();
        keepAll(new UnitCost())
                .planning()
                .work()
                .forEach(work -> works.put(work.signature().key(), work));
        List<KernelTime> times = new ArrayList<>();
        for (KernelWork work : works.values()) {
            if (wanted.test(work.signature())) {
                times.add(KernelTime.of(work, 1, nanos.applyAsLong(work.signature())));
            }
        }
        DeviceSpec device = TARGET.device();
        return new ProfileCost("fake", new KernelProfile(TARGET.name(), device, times));
    }

    private static Set<String> recomputed(Compilation compilation) {
        Set<String> keys = new LinkedHashSet<>();
        boolean[] seen = new boolean[compilation.planning().problem().nodeCount()];
        for (int t = 0; t < compilation.sequence().length(); t++) {
            int node = compilation.sequence().node(t);
            if (seen[node]) {
                keys.add(compilation.planning().work(node).signature().key());
            }
            seen[node] = true;
        }
        return keys;
    }

    @Test
    void unitCostsAddUpToTheNumberOfGroups() {
        Compilation kept = keepAll(new UnitCost());
        assertThat(kept.evaluation().cost())
                .isEqualTo(kept.planning().fused().groups().size());
    }

    @Test
    void sumsPredictedAndMeasuredOverEveryRun() {
        ProfileCost costs = profile(kernel -> true, kernel -> 10);
        Compilation sqrt = compile(costs, CompileOptions.defaults().withStrategy("sqrt"));
        CostComparison comparison = PlanAccount.of(sqrt).measured().orElseThrow();
        assertThat(comparison.groupsMeasured()).isEqualTo(comparison.groups());
        assertThat(comparison.estimatedNanos()).isZero();
        assertThat(comparison.total().runs()).isEqualTo(sqrt.sequence().length());
        assertThat(comparison.total().measuredNanos())
                .isEqualTo(10L * sqrt.sequence().length())
                .isEqualTo(sqrt.evaluation().cost());
        Compilation predicted = compile(new RooflineCost(TARGET.device()), CompileOptions.defaults());
        CostComparison kept = CostComparison.of(predicted, costs);
        assertThat(kept.total().predictedNanos())
                .isEqualTo(predicted.evaluation().cost());
        assertThat(PlanAccount.of(predicted).measured())
                .as("nothing was measured")
                .isEmpty();
    }

    @Test
    void tellsApartWhatWasNotMeasured() {
        ProfileCost products = profile(kernel -> kernel.family().equals("matmul"), kernel -> 10);
        Compilation kept = keepAll(products);
        CostComparison comparison = PlanAccount.of(kept).measured().orElseThrow();
        assertThat(comparison.families()).extracting(CostComparison.Line::name).containsExactly("matmul");
        assertThat(comparison.groupsMeasured())
                .as("3 products a layer, 2 in the first")
                .isEqualTo(35);
        assertThat(comparison.estimatedNanos() + comparison.total().measuredNanos())
                .isEqualTo(kept.evaluation().cost());
    }

    @Test
    void aKernelMadeDearIsNotRecomputed() {
        long keepAll = keepAll(new UnitCost()).memory().arenaBytes();
        CompileOptions within =
                CompileOptions.defaults().withStrategy("peak-priority").withBudget(keepAll * 9 / 10);
        Set<String> cheap = recomputed(compile(profile(kernel -> true, kernel -> 10), within));
        assertThat(cheap).isNotEmpty();
        for (String dear : cheap) {
            ProfileCost costs = profile(kernel -> true, kernel -> kernel.key().equals(dear) ? 1_000_000 : 10);
            assertThat(recomputed(compile(costs, within))).as(dear).isNotEmpty().doesNotContain(dear);
        }
    }
}
