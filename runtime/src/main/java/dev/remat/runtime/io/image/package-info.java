/** Data sets of images: files as pixels, scaled, cut and shifted to what an input takes. */
package dev.remat.runtime.io.image;
