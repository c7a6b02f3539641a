/** Finds the largest extent of a symbol whose training step fits a budget. */
package dev.remat.compiler.fit;
