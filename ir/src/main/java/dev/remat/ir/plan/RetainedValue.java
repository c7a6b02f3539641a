package dev.remat.ir.plan;

/** A value of a {@link RematProblem}, by index, that stays in memory between forward and backward, and why. */
public record RetainedValue(int value, RetainReason reason) {}
