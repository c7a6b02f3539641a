/** Local search: small moves on a sequence. {@link dev.remat.compiler.plan.local.Anneal} is the strategy. */
package dev.remat.compiler.plan.local;
