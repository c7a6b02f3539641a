package dev.remat.tests.gpu;

import dev.remat.codegen.cuda.predict.CostSum;
import dev.remat.codegen.cuda.predict.RunCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * What kernels that are launched together took in a training step.
 *
 * @param kernels their symbols, each once
 * @param runs how often they were launched together
 * @param nanos by the events around them
 * @param predicted the same by the cost model, without the gaps between launches; 0 where it knows no such GPU
 */
record KernelSpeed(String kernels, int runs, double nanos, double predicted, long bytes, double flops) {
    /** In the order of their times, longest first. */
    static List<KernelSpeed> of(List<RunCost> runs, List<Long> nanosOfSteps) {
        Map<String, KernelSpeed> speeds = new LinkedHashMap<>();
        for (RunCost run : runs) {
            double nanos = nanosOfSteps.subList(run.from(), run.to()).stream()
                    .mapToLong(Long::longValue)
                    .sum();
            CostSum cost = run.cost();
            String kernels = String.join(" ", new LinkedHashSet<>(run.kernels()));
            speeds.merge(
                    kernels,
                    new KernelSpeed(kernels, 1, nanos, cost.nanos(), cost.bytes(), cost.flops()),
                    KernelSpeed::plus);
        }
        List<KernelSpeed> sorted = new ArrayList<>(speeds.values());
        sorted.sort(Comparator.comparingDouble(KernelSpeed::nanos).reversed());
        return sorted;
    }

    private KernelSpeed plus(KernelSpeed other) {
        return new KernelSpeed(
                kernels,
                runs + other.runs,
                nanos + other.nanos,
                predicted + other.predicted,
                bytes + other.bytes,
                flops + other.flops);
    }

    double gigabytesPerSecond() {
        return nanos == 0 ? 0 : bytes / nanos;
    }

    double teraflopsPerSecond() {
        return nanos == 0 ? 0 : flops / nanos / 1e3;
    }
}
