/**
 * Proof on silicon: what a machine with a GPU runs, from a bundle, to hold every kernel and training step against what
 * the CPU gave where the bundle was made.
 */
package dev.remat.tests.gpu;
