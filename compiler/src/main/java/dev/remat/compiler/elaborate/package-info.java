/** Syntax trees to symbolic forward graphs. */
package dev.remat.compiler.elaborate;
