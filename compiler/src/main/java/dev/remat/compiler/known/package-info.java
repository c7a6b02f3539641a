/** Plans that were found before, as bytes that another process can take them from. */
package dev.remat.compiler.known;
