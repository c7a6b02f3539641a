/** Pooling over windows of images. */
package dev.remat.runtime.cpu.image;
