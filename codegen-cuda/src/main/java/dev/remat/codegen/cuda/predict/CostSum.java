package dev.remat.codegen.cuda.predict;

/**
 * What some launches cost together.
 *
 * @param bytes that they move
 * @param nanos that they run, without the gaps between them; 0 where there is no model of the architecture
 * @param flops of the step's operations that they carry out, as the plan counts them
 */
public record CostSum(int launches, long bytes, double nanos, double flops) {
    static final CostSum NOTHING = new CostSum(0, 0, 0, 0);

    public double millis() {
        return nanos / 1e6;
    }

    CostSum times(int runs) {
        return new CostSum(runs * launches, runs * bytes, runs * nanos, runs * flops);
    }

    CostSum plus(CostSum other) {
        return new CostSum(launches + other.launches, bytes + other.bytes, nanos + other.nanos, flops + other.flops);
    }
}
