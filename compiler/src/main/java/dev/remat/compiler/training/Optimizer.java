package dev.remat.compiler.training;

import dev.remat.ir.op.AdamVariantUpdate;
import java.util.OptionalDouble;

/** How a gradient changes its parameter; the learning rate is the schedule's. */
public sealed interface Optimizer {
    /** Stochastic gradient descent, as PyTorch defines momentum and Nesterov's variant. */
    record Sgd(double momentum, double dampening, boolean nesterov, double weightDecay) implements Optimizer {}

    /**
     * Adam (Kingma and Ba, 2015).
     *
     * @param decoupled weight decay apart from the gradient: AdamW (Loshchilov and Hutter, 2019)
     */
    record Adam(double beta1, double beta2, double epsilon, double weightDecay, boolean decoupled)
            implements Optimizer {}

    /**
     * A variant of Adam.
     *
     * @param momentumDecay of NAdam: how fast its momentum rises
     */
    record AdamVariant(
            AdamVariantUpdate.Kind kind,
            double beta1,
            double beta2,
            double epsilon,
            double weightDecay,
            boolean decoupled,
            double momentumDecay)
            implements Optimizer {}

    /** Lion (Chen et al., 2023). */
    record Lion(double beta1, double beta2, double weightDecay) implements Optimizer {}

    /**
     * Adafactor (Shazeer and Stern, 2018) as PyTorch computes it: squares of matrices are kept as row and column means.
     *
     * @param decay the estimate moves by step^decay in a step
     * @param epsilon least root of an estimate; that of the dtype if empty
     * @param leastSize least root mean square of a parameter, by which its steps are sized
     * @param threshold largest root mean square of a step before it is sized
     */
    record Adafactor(double decay, OptionalDouble epsilon, double leastSize, double threshold, double weightDecay)
            implements Optimizer {}

    /** RMSprop (Tieleman and Hinton, 2012), as PyTorch computes it. */
    record RmsProp(double alpha, double epsilon, double weightDecay, double momentum, boolean centered)
            implements Optimizer {}

    /**
     * Adagrad (Duchi, Hazan and Singer, 2011).
     *
     * @param initial what the sums of squares start from
     */
    record Adagrad(double rateDecay, double weightDecay, double initial, double epsilon) implements Optimizer {}
}
