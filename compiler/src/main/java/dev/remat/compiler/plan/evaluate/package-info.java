/** What a sequence costs and how much memory it needs: the one exact evaluator. */
package dev.remat.compiler.plan.evaluate;
