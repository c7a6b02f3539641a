/** A model on its way through the compiler: the program after each pass, line by line. */
package dev.remat.compiler.trace;
