/** Kernels: groups in the planner's order, clones merged into neighbours. */
package dev.remat.compiler.kernel;
