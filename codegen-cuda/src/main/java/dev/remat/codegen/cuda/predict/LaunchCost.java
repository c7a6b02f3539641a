package dev.remat.codegen.cuda.predict;

import java.util.OptionalDouble;

/**
 * What one launch costs.
 *
 * @param flops additions and multiplications that its threads execute, padding included
 * @param nanos how long it should run; empty where there is no model of the architecture
 */
record LaunchCost(Traffic traffic, double flops, OptionalDouble nanos) {}
