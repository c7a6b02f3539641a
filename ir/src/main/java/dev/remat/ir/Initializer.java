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

    Initializer ZEROS = new Constant(0);
    Initializer ONES = new Constant(1);
}
