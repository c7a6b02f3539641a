/** Texts of models while they are written: their lines, their names, and where the cursor stands. */
package dev.remat.cli.lsp.text;
