package dev.remat.codegen.cuda.predict;

import java.util.List;

/**
 * What some steps of a plan that are launched together cost in a training step, in all rounds.
 *
 * @param from the first of these steps of the plan
 * @param to the one after the last
 * @param kernels symbols of the kernels that are launched, in order
 */
public record RunCost(int from, int to, List<String> kernels, CostSum cost) {
    public RunCost {
        kernels = List.copyOf(kernels);
    }
}
