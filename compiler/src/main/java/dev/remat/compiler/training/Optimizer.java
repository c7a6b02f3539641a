package dev.remat.compiler.training;

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

    /** Lion (Chen et al., 2023). */
    record Lion(double beta1, double beta2, double weightDecay) implements Optimizer {}

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
