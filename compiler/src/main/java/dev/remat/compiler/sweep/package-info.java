/** Memory against recomputation, over budgets and strategies. */
package dev.remat.compiler.sweep;
