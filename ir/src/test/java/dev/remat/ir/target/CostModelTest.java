package dev.remat.ir.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class CostModelTest {
    /** 1 TFLOP/s, 2 for 16 bits, 100 GB/s, 1 microsecond a launch. */
    private static final DeviceSpec DEVICE = DeviceSpec.of("toy", 1e12, 2e12, 1e11, 1000);

    private static KernelWork work(DType dtype, long flops, long bytes) {
        return new KernelWork(Kernels.negation(dtype, 8), flops, bytes);
    }

    private static KernelTime time(KernelSignature signature, long bytes, int count, long nanos) {
        return KernelTime.of(new KernelWork(signature, 0, bytes), count, nanos);
    }

    @Test
    void aRooflineIsTheSlowerOfArithmeticAndTrafficAndTheLaunch() {
        RooflineCost roofline = new RooflineCost(DEVICE);
        assertThat(roofline.name()).isEqualTo("roofline:toy");
        assertThat(roofline.cost(work(DType.F32, 6_000_000, 400_000)))
                .as("6 µs of arithmetic")
                .isEqualTo(7000);
        assertThat(roofline.cost(work(DType.F32, 3_000_000, 400_000)))
                .as("4 µs of traffic")
                .isEqualTo(5000);
        assertThat(roofline.cost(work(DType.BF16, 12_000_000, 400_000)))
                .as("twice as fast")
                .isEqualTo(7000);
        assertThat(roofline.cost(work(DType.F64, 6_000_000, 0)))
                .as("no rate of its own")
                .isEqualTo(7000);
        assertThat(new RooflineCost(DeviceSpec.of("fast", 1e12, 1e12, 1e11, 0)).cost(work(DType.F32, 0, 0)))
                .as("nothing is free")
                .isEqualTo(1);
    }

    @Test
    void everyTypeMayHaveARate() {
        SequencedMap<DType, Double> rates = new LinkedHashMap<>();
        rates.put(DType.F32, 1e12);
        rates.put(DType.F64, 5e11);
        DeviceSpec device = new DeviceSpec("toy", rates, 1e11, 0);
        assertThat(new RooflineCost(device).cost(work(DType.F64, 6_000_000, 0))).isEqualTo(12_000);
        rates.remove(DType.F32);
        assertThatThrownBy(() -> new DeviceSpec("toy", rates, 1e11, 0)).hasMessageContaining("f32 is missing");
    }

    @Test
    void aUnitCostsOneWhateverItDoes() {
        assertThat(new UnitCost().cost(work(DType.F32, 1 << 30, 1 << 30))).isEqualTo(1);
        assertThat(new UnitCost().isTime()).isFalse();
        assertThat(new RooflineCost(DEVICE).isTime()).isTrue();
    }

    @Test
    void aProfileKnowsWhatItMeasured() {
        ProfileCost costs = new ProfileCost(
                "costs.json",
                new KernelProfile(
                        "cpu",
                        DEVICE,
                        List.of(
                                time(Kernels.negation(DType.F32, 8), 64, 1, 777),
                                time(Kernels.product(8), 256, 3, 0))));
        assertThat(costs.name()).isEqualTo("profile:costs.json");
        assertThat(costs.cost(new KernelWork(Kernels.negation(DType.F32, 8), 5, 64)))
                .isEqualTo(777);
        assertThat(costs.cost(new KernelWork(Kernels.product(8), 128, 256)))
                .as("too short to time")
                .isEqualTo(1);
        assertThat(costs.measured(new KernelWork(Kernels.negation(DType.F32, 9), 5, 72)))
                .isEmpty();
    }

    /** The roofline says 2 µs for 100 kB and 3 µs for 200 kB. */
    @Test
    void aProfileScalesTheRooflineByFamilyForWhatItDidNotMeasure() {
        ProfileCost costs = new ProfileCost(
                "costs.json",
                new KernelProfile(
                        "cpu",
                        DEVICE,
                        List.of(
                                time(Kernels.negation(DType.F32, 8), 100_000, 2, 8000),
                                time(Kernels.negation(DType.F32, 9), 200_000, 2, 2000))));
        long elementwise = costs.cost(new KernelWork(Kernels.negation(DType.F32, 10), 0, 300_000));
        assertThat(elementwise).as("4 µs · (2·8 + 2·2) / (2·2 + 2·3)").isEqualTo(8000);
        assertThat(costs.cost(new KernelWork(Kernels.product(8), 0, 300_000)))
                .as("as all do")
                .isEqualTo(8000);
        ProfileCost both = new ProfileCost(
                "costs.json",
                new KernelProfile(
                        "cpu",
                        DEVICE,
                        List.of(
                                time(Kernels.negation(DType.F32, 8), 100_000, 1, 8000),
                                time(Kernels.product(8), 100_000, 1, 1000))));
        assertThat(both.cost(new KernelWork(Kernels.product(9), 0, 300_000)))
                .as("4 µs · 1/2")
                .isEqualTo(2000);
    }

    @Test
    void anEmptyProfileIsItsRoofline() {
        ProfileCost costs = new ProfileCost("costs.json", new KernelProfile("cpu", DEVICE, List.of()));
        assertThat(costs.cost(work(DType.F32, 6_000_000, 0))).isEqualTo(7000);
    }
}
