/**
 * The executor of plans on the CPU, and what planning must know of it. Each package below holds deterministic kernels
 * of one kind.
 */
package dev.remat.runtime.cpu;
