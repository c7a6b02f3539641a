/** Running a step within a budget: what is evicted where memory runs out, and computed again where it is read. */
package dev.remat.compiler.plan.eviction;
