/** Plan-independent grouping of nodes into kernels: what a fusion group materialises is what the planner pays for. */
package dev.remat.compiler.fusion;
