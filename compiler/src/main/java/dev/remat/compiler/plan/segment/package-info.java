/**
 * Planners that keep what crosses from one segment of the forward to the next, or a chosen set of values, and replay
 * the rest when the backward reaches it.
 */
package dev.remat.compiler.plan.segment;
