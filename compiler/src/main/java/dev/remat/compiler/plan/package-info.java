/** Planners: which unit of a training step runs when, and how often, judged by one exact evaluator. */
package dev.remat.compiler.plan;
