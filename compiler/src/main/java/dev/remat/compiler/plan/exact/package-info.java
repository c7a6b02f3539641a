/** Search by constraint programming over how long values are retained, in a whole problem or a window of it. */
package dev.remat.compiler.plan.exact;
