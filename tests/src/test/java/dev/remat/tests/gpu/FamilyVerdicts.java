package dev.remat.tests.gpu;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which families of kernels have given on a GPU what they have to. Those that compute as the CPU does owe the same
 * bits; those on tensor cores, whose rounding nobody specifies, a bound.
 */
final class FamilyVerdicts {
    private static final List<String> ON_TENSOR_CORES = List.of("attention_tensor", "gemm_tensor", "gemm_warpgroup");

    /**
     * What is known of one family.
     *
     * @param results tensors that it has written
     * @param equal those of them that have the recorded bits
     * @param worst the largest part of its bound that a result was off by; more than 1 is too much
     */
    record Verdict(long results, long equal, double worst) {
        boolean isVerified() {
            return results > 0 && worst <= 1;
        }

        private Verdict with(Nearness nearness, double share) {
            return new Verdict(results + 1, equal + (nearness.isEqual() ? 1 : 0), Math.max(worst, share));
        }
    }

    private final SortedMap<String, Verdict> verdicts = new TreeMap<>();

    static boolean isOnTensorCores(String family) {
        return ON_TENSOR_CORES.contains(family);
    }

    /** Whether what these families have made together must have the recorded bits. */
    static boolean oweBits(Set<String> families) {
        return families.stream().noneMatch(FamilyVerdicts::isOnTensorCores);
    }

    /**
     * Takes a result into account.
     *
     * @param families whose kernels had part in it
     * @param bound what it may be off by if one of them runs on tensor cores
     */
    void add(Set<String> families, Nearness nearness, double bound) {
        double unequal = oweBits(families) ? Double.POSITIVE_INFINITY : nearness.relative() / bound;
        double share = nearness.isEqual() ? 0 : unequal;
        for (String family : families) {
            verdicts.merge(family, new Verdict(0, 0, 0).with(nearness, share), (old, _) -> old.with(nearness, share));
        }
    }

    Map<String, Verdict> all() {
        return verdicts;
    }

    boolean areAllVerified() {
        return verdicts.values().stream().allMatch(Verdict::isVerified);
    }
}
