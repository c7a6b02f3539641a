/** Memory: which buffers live when, and where in the arena they lie. */
package dev.remat.compiler.memory;
