/** Optimizers' updates of parameters. */
package dev.remat.runtime.cpu.update;
