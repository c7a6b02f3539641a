/** The back-end-neutral program of one training step: kernels over arena offsets. */
package dev.remat.ir.execution;
