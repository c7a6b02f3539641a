package dev.remat.compiler.training;

import dev.remat.ir.diagnostic.Location;

/**
 * The bound on the gradients of a loss (Pascanu, Mikolov and Bengio, 2013).
 *
 * @param norm largest Euclidean norm of all of them together
 * @param location of {@code clip_norm} in the model
 */
public record GradientClip(double norm, Location location) {}
