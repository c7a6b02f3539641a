/**
 * Planners: which unit of a training step runs when, and how often. Here are what a planner is asked and answers, the
 * one exact evaluator that judges all answers, and what every planner builds upon. The packages below hold a family of
 * planners each; {@link dev.remat.compiler.plan.portfolio.Strategies} names them.
 */
package dev.remat.compiler.plan;
