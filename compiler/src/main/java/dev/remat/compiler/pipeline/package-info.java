/** A step cut into stages that work on different micro-batches at a time: their order, its proof and its time. */
package dev.remat.compiler.pipeline;
