/** The text form of graphs. */
package dev.remat.ir.text;
