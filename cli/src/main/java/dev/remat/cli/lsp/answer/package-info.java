/** Answers to what editors ask, one kind a class. */
package dev.remat.cli.lsp.answer;
