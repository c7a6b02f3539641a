/** Builtins that networks are made of: layers, losses and metrics. */
package dev.remat.compiler.builtin.layer;
