/** Builtins that are written in the language itself. */
package dev.remat.compiler.builtin.prelude;
