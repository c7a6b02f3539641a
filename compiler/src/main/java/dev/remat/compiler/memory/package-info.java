/** Memory: which buffers live when, where in the arena they lie, and the check of a finished plan. */
package dev.remat.compiler.memory;
