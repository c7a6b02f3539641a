/** What builtins are made of, and those that work on any tensor or number. */
package dev.remat.compiler.builtin;
