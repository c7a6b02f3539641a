package dev.remat.compiler.training;

import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;

/** How a gradient changes its parameter; the learning rate is the schedule's. */
public interface Optimizer {
    /** Input and output: the tensor that is trained. */
    String PARAMETER = "parameter";

    String GRADIENT = "gradient";
    /** Input: the learning rate of the step. */
    String RATE = "lr";
    /** Input: the number of the update, from 1. */
    String STEP = "step";

    String name();

    /**
     * What becomes of a parameter of a type and of what is kept of it, all in f64: from the inputs above in their order
     * and a state for each that is kept, to outputs of the same names.
     */
    Graph step(TensorType parameter);
}
