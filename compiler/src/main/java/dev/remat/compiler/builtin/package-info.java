/** The functions that models call: what each takes, what it says about itself, what it adds to a graph. */
package dev.remat.compiler.builtin;
