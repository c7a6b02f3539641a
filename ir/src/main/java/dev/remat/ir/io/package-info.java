/** Files that appear whole or not at all. */
package dev.remat.ir.io;
