package dev.remat.compiler.builtin;

import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;

/** How a parameter starts, where that may depend on its shape. */
public sealed interface Initial {
    Initial ZEROS = new Fixed(Initializer.ZEROS);
    Initial ONES = new Fixed(Initializer.ONES);

    /**
     * @throws SemanticError if the initialiser depends on extents that are not known, or on a rank that the shape has
     * not
     */
    Initializer of(Shape shape);

    /** The same for every shape. */
    record Fixed(Initializer initializer) implements Initial {
        @Override
        public Initializer of(Shape shape) {
            return initializer;
        }
    }

    /**
     * Variance {@code gain² / fan} (Glorot and Bengio, 2010; He et al., 2015). Fans are as PyTorch counts them: inputs
     * {@code shape[1]} and outputs {@code shape[0]}, times the extents of the further axes.
     */
    record Scaled(double gain, Fan fan, boolean uniform) implements Initial {
        @Override
        public Initializer of(Shape shape) {
            double deviation = gain / Math.sqrt(count(shape));
            double bound = Math.sqrt(3) * deviation;
            return uniform ? new Initializer.Uniform(-bound, bound) : new Initializer.Normal(0, deviation);
        }

        private double count(Shape shape) {
            if (shape.rank() < 2 || !shape.isStatic()) {
                throw new SemanticError(
                        "E0306",
                        "an initialiser that depends on fans takes two axes or more of known extent, not " + shape);
            }
            Dim field = new Shape(shape.dims().subList(2, shape.rank())).elements();
            double inputs = shape.dim(1).times(field).value();
            double outputs = shape.dim(0).times(field).value();
            return switch (fan) {
                case IN -> inputs;
                case OUT -> outputs;
                case BOTH -> (inputs + outputs) / 2;
            };
        }
    }

    /** What the variance is divided by. */
    enum Fan {
        IN,
        OUT,
        /** The mean of both. */
        BOTH
    }
}
