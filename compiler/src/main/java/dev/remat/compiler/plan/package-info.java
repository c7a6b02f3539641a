/**
 * Planners: which unit of a training step runs when, and how often, judged by one exact evaluator; and bounds on what
 * any plan must cost and take. {@link dev.remat.compiler.plan.Strategies} names the planners,
 * {@link dev.remat.compiler.plan.Auto} asks them all.
 */
package dev.remat.compiler.plan;
