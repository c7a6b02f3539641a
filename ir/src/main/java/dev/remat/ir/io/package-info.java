/** Files that people write, read with bounds, and files that appear whole or not at all. */
package dev.remat.ir.io;
