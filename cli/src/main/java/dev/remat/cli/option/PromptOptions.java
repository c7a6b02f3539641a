package dev.remat.cli.option;

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
        return file == null ? text.getBytes(StandardCharsets.UTF_8) : Files.readAllBytes(file);
    }
}
