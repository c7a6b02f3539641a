/** From kernels and offsets to the back-end-neutral execution plan. */
package dev.remat.compiler.execution;
