/** Planners that cut the forward into blocks, find what is worth keeping in each, and combine that over the chain. */
package dev.remat.compiler.plan.block;
