package dev.remat.compiler.plan;

/**
 * No sequence within the budget and the scope costs less.
 *
 * @param cost of all steps and, once, of the residents
 */
public record LowerBound(long cost, BoundScope scope) {}
