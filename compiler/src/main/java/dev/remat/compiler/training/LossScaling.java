package dev.remat.compiler.training;

/**
 * Factor by which losses are multiplied while gradients are computed, so that small ones do not vanish in a narrow
 * dtype (Micikevicius et al., 2018). Gradients are divided by it before anything else looks at them.
 */
public sealed interface LossScaling {
    /** Gradients as they are. */
    record None() implements LossScaling {}

    /** The same factor in every step. */
    record Static(double scale) implements LossScaling {
        public Static {
            requireScale("a loss scale", scale);
        }
    }

    /**
     * A factor that shrinks after a step whose gradients overflow and grows after {@code interval} steps without one,
     * as PyTorch's {@code GradScaler} does.
     */
    record Dynamic(double initial, double growth, double backoff, long interval) implements LossScaling {
        /** With the defaults of PyTorch. */
        public static final Dynamic DEFAULT = new Dynamic(65536, 2, 0.5, 2000);

        public Dynamic {
            requireScale("init_scale", initial);
            require(growth > 1 && growth < Double.POSITIVE_INFINITY, "growth_factor", growth, "above 1 and finite");
            require(backoff > 0 && backoff < 1, "backoff_factor", backoff, "between 0 and 1");
            require(interval >= 1, "growth_interval", interval, "1 or more");
        }
    }

    private static void requireScale(String what, double scale) {
        boolean suits = scale >= Float.MIN_NORMAL && scale <= Float.MAX_VALUE;
        require(suits, what, scale, "positive and finite in f32");
    }

    private static void require(boolean condition, String what, Object value, String wanted) {
        if (!condition) {
            throw new IllegalArgumentException(what + " must be " + wanted + ", and is " + value);
        }
    }
}
