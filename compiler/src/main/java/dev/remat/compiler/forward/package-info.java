/** What callers read of a forward pass beyond its outputs. */
package dev.remat.compiler.forward;
