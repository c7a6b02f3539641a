/**
 * Lower bounds: what every sequence that fits a budget must cost. {@link dev.remat.compiler.plan.bound.LowerBounds}
 * finds them.
 */
package dev.remat.compiler.plan.bound;
