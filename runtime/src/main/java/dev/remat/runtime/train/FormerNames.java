package dev.remat.runtime.train;

import java.util.Map;

/** Names that optimizer state has in older checkpoints and artifacts, so that they go on with PyTorch's. */
final class FormerNames {
    private static final String STATE = "optimizer.";

    private static final Map<String, String> KINDS =
            Map.of("m", "exp_avg", "v", "exp_avg_sq", "velocity", "momentum_buffer");

    private FormerNames() {}

    /** The name today of a tensor: {@code optimizer.exp_avg.w} of {@code optimizer.m.w}. */
    static String today(String name) {
        int end = name.indexOf('.', STATE.length());
        if (!name.startsWith(STATE) || end < 0) {
            return name;
        }
        String kind = name.substring(STATE.length(), end);
        return STATE + KINDS.getOrDefault(kind, kind) + name.substring(end);
    }
}
