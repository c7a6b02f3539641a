/** Rewrites that change no result: binding symbols, removing what is double or dead. */
package dev.remat.compiler.simplify;
