/**
 * Planners: which group of a training step runs when, and how often. Here are what a planner is asked and answers, and
 * what is proved of answers. The packages below hold the one exact evaluator that judges all answers, what planners
 * build sequences with, and a family of planners each; {@code Strategies} names them.
 */
package dev.remat.compiler.plan;
