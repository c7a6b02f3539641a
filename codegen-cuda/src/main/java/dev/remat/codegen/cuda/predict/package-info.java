/** How long kernels should take, from counts of their compiled instructions and of the bytes that they move. */
package dev.remat.codegen.cuda.predict;
