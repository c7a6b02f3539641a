package dev.remat.cli.option;

import dev.remat.runtime.text.ByteTokenizer;
import dev.remat.runtime.text.Tokenizer;
import dev.remat.runtime.text.TokenizerFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How text becomes tokens. */
public final class TokenizerOption {
    @Option(
            names = "--tokenizer",
            paramLabel = "FILE",
            description = "A tokenizer.json of Hugging Face's; without it every byte is a token.")
    private Path file;

    public Optional<Path> file() {
        return Optional.ofNullable(file);
    }

    /** @throws dev.remat.runtime.io.CorruptFileException if it is damaged or of a kind that is not supported */
    public Tokenizer open() throws IOException {
        return file == null ? new ByteTokenizer() : TokenizerFile.read(file);
    }
}
