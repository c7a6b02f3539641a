package dev.remat.cli.option.data;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.option.TokenizerOption;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.text.data.TextDataset;
import dev.remat.runtime.text.data.TokenizedText;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** What becomes of text. */
public final class TextOptions extends CheckedOptions {
    @Mixin
    private TokenizerOption tokenizer;

    /** @throws ParameterException if there are any */
    void refuse() {
        if (tokenizer.file().isPresent()) {
            throw misuse("--tokenizer is for --text");
        }
    }

    /** A file of text. */
    Dataset text(Path place) throws IOException {
        return tokenizer.file().isPresent() ? TokenizedText.open(place, tokenizer.open()) : TextDataset.open(place);
    }
}
