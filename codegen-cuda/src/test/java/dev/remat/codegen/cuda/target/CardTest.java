package dev.remat.codegen.cuda.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Unary;
import dev.remat.ir.target.KernelSignature;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.RooflineCost;
import java.util.List;
import org.junit.jupiter.api.Test;

class CardTest {
    private static long nanos(Card card, DType dtype, long flops, long bytes) {
        KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, Location.NONE);
        step.add(new Unary(Unary.Kind.EXP), List.of(TensorType.of(dtype, 1)), List.of(new Operand.FromSeed(0)));
        KernelSignature signature = new KernelSignature(step.body());
        return new RooflineCost(card.device().orElseThrow()).cost(new KernelWork(signature, flops, bytes));
    }

    /** Each kernel takes 1.3 µs besides. */
    @Test
    void pricesKernelsByTheVendorsRates() {
        assertThat(nanos(Card.A100, DType.F32, 156_000_000_000L, 0))
                .as("156 TFLOP/s")
                .isEqualTo(1_001_300);
        assertThat(nanos(Card.A100, DType.BF16, 312_000_000_000L, 0))
                .as("312 TFLOP/s")
                .isEqualTo(1_001_300);
        assertThat(nanos(Card.H100, DType.BF16, 989_400_000_000L, 0))
                .as("989.4 TFLOP/s")
                .isEqualTo(1_001_300);
        assertThat(nanos(Card.H100, DType.F32, 0, 3_350_000_000L))
                .as("3.35 TB/s")
                .isEqualTo(1_001_300);
        assertThat(nanos(Card.H200, DType.F32, 0, 4_800_000_000L))
                .as("4.8 TB/s")
                .isEqualTo(1_001_300);
        assertThat(nanos(Card.H200, DType.BF16, 989_400_000_000L, 0))
                .as("as an H100")
                .isEqualTo(1_001_300);
    }

    @Test
    void anArchitectureHasTheRatesOfItsUsualCard() {
        assertThat(Architecture.SM_90A.device())
                .isEqualTo(Card.H100.device().orElseThrow().named("sm_90a"));
        for (Architecture architecture : Architecture.values()) {
            assertThat(architecture.device().name()).isEqualTo(architecture.label());
        }
        assertThat(Card.ofLabel("h100")).contains(Card.H100);
        assertThat(Card.ofLabel("sm_90a")).isEmpty();
    }

    /** A tensor core's products a cycle, as the vendor's papers on the architectures have them: 2048 and 4096 FLOP. */
    @Test
    void aMultiprocessorDoesAWholeNumberOfProductsACycle() {
        assertThat(narrowFlopsPerCycle(Architecture.SM_80)).isCloseTo(2048, withinPercentage(1));
        assertThat(narrowFlopsPerCycle(Architecture.SM_90A)).isCloseTo(4096, withinPercentage(1));
    }

    private static double narrowFlopsPerCycle(Architecture architecture) {
        return architecture.device().flopsPerSecond(DType.BF16) / architecture.hertz() / architecture.multiprocessors();
    }

    /** What the driver of a card of 80 GB reports is a little less than 80 GiB; one GiB stays with the driver. */
    @Test
    void memoryIsWhatTheDriverReportsLessItsOwn() {
        assertThat(Card.H100.usableBytes()).isEqualTo((long) (79.1 * (1L << 30)) - (1L << 30));
        assertThat(Card.ofLabel("a100-40gb")).contains(Card.A100_40GB);
    }

    @Test
    void onlyCardsOfKnownRatesHaveCosts() {
        assertThat(Card.T4.device()).isEmpty();
        assertThat(Card.ratedLabels()).containsExactly("a100", "rtx3090", "rtx4090", "h100", "h200", "b200");
        assertThat(Card.labels()).containsAll(Card.ratedLabels()).contains("t4", "a100-40gb");
    }
}
