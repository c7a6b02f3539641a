/** What {@code remat build} writes: kernels, their launches, and a manifest that vouches for every file. */
package dev.remat.ir.artifact;
