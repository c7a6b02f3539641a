/**
 * Sequences from what is to be retained, and what makes any sequence better. The simplest planner, which keeps
 * everything.
 */
package dev.remat.compiler.plan.build;
