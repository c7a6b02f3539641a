package dev.remat.cli.option;

import dev.remat.ir.io.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What a generated text begins with. */
public final class PromptOptions {
    @Option(names = "--prompt", required = true, paramLabel = "TEXT", description = "The text that is continued.")
    private String text;

    @Option(
            names = "--prompt-file",
            required = true,
            paramLabel = "FILE",
            description = "A file with the text that is continued.")
    private Path file;

    public byte[] read() throws IOException {
        if (file == null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        ReadableFile.checkStream(file);
        return Files.readAllBytes(file);
    }
}
