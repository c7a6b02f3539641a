/** Training: initial values, data, steps, evaluation, checkpoints. */
package dev.remat.runtime.train;
