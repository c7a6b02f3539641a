/** The language server: models in editors, by the Language Server Protocol. */
package dev.remat.cli.lsp;
