package dev.remat.ir;

/** How a parameter or state tensor starts. Draws depend on the user seed and the tensor's name alone. */
public sealed interface Initializer {
    record Constant(double value) implements Initializer {
        @Override
        public String toString() {
            return "constant(" + value + ")";
        }
    }

    /** Gaussian with the given mean and standard deviation. */
    record Normal(double mean, double std) implements Initializer {
        @Override
        public String toString() {
            return "normal(" + mean + ", " + std + ")";
        }
    }

    /** Uniform on [low, high). */
    record Uniform(double low, double high) implements Initializer {
        @Override
        public String toString() {
            return "uniform(" + low + ", " + high + ")";
        }
    }

    /**
     * Element {@code i} is the Euclidean length of the elements from {@code i·run} to below {@code (i + 1)·run} of
     * another tensor, as that one starts: it depends on nothing that has been computed or loaded.
     *
     * @param of full name of that tensor, which is of the same dtype
     * @param initializer that tensor's own
     */
    record Lengths(String of, long run, Initializer initializer) implements Initializer {
        public Lengths {
            if (run < 1 || run > Integer.MAX_VALUE || initializer instanceof Lengths) {
                throw new IllegalArgumentException("no lengths of " + run + " elements of " + initializer);
            }
        }

        @Override
        public String toString() {
            return "lengths(\"" + of + "\", " + run + ", " + initializer + ")";
        }
    }

    Initializer ZEROS = new Constant(0);
    Initializer ONES = new Constant(1);
}
