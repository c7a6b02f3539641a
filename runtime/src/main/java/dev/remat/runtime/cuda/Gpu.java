package dev.remat.runtime.cuda;

import java.util.List;
import java.util.Optional;

/**
 * A GPU that the driver offers.
 *
 * @param ordinal its number, from 0, as {@code --device cuda:0} takes it
 * @param capability compute capability without its point: 90 for 9.0
 */
public record Gpu(int ordinal, String name, int capability, long memoryBytes) {
    /** As CUDA names it: {@code sm_90}. */
    public String architecture() {
        return "sm_" + capability;
    }

    /**
     * The best of several architectures to run code of: the one made for just this GPU, else an earlier one of its
     * generation. What is for one compute capability alone, as {@code sm_90a}, runs on no later one.
     */
    public Optional<String> best(List<String> architectures) {
        String best = null;
        for (String label : architectures) {
            if (runs(label) && (best == null || rank(label) > rank(best))) {
                best = label;
            }
        }
        return Optional.ofNullable(best);
    }

    private boolean runs(String label) {
        int built = capability(label);
        return isExact(label) ? built == capability : built / 10 == capability / 10 && built <= capability;
    }

    private static int rank(String label) {
        return 2 * capability(label) + (isExact(label) ? 1 : 0);
    }

    private static boolean isExact(String label) {
        return !Character.isDigit(label.charAt(label.length() - 1));
    }

    private static int capability(String label) {
        return Integer.parseInt(label.replaceAll("[^0-9]", ""));
    }
}
