/** Plan-independent grouping of nodes into kernels: what a unit materialises is what the planner pays for. */
package dev.remat.compiler.unit;
