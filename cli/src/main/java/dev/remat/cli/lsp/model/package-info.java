/** What an editor's models mean: read, elaborated and planned beside the typing. */
package dev.remat.cli.lsp.model;
