package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Variable;

/** What a name stands for, and the text that defines it. */
record Found(Document document, Variable variable) {}
