/** Forward graph to training step: precision, gradients, optimizer. */
package dev.remat.compiler.training;
