/** The immutable SSA graph: nodes, values, building, rewriting, verifying, hashing. */
package dev.remat.ir.graph;
