/** Files that training reads and writes: tensors, data sets, checkpoints. */
package dev.remat.runtime.io;
