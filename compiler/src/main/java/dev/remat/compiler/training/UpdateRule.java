package dev.remat.compiler.training;

import dev.remat.ir.op.LearningRateSchedule;

/**
 * How a parameter is updated.
 *
 * @param schedule learning rate by step
 */
public record UpdateRule(Optimizer optimizer, LearningRateSchedule schedule) {}
