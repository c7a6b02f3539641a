/** The table of all builtins. */
package dev.remat.compiler.builtin.table;
