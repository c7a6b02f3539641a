package dev.remat.cli.lsp.text;

import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceTokens;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.lsp4j.TextDocumentContentChangeEvent;

/** A text as it is at one moment, with what is read off it when that is asked for. */
public final class Document {
    private final String uri;
    private final int version;
    private final String text;
    private final TextLines lines;
    private final Supplier<List<SourceToken>> tokens;
    private final Supplier<NameTable> names;

    /** @param version as the editor counts; 0 for a file that is not open */
    public Document(String uri, int version, String text) {
        this.uri = uri;
        this.version = version;
        this.text = text;
        this.lines = new TextLines(text);
        this.tokens = new Lazy<>(() -> SourceTokens.of(text));
        this.names = new Lazy<>(() -> ReadNames.of(text));
    }

    /** After an editor's changes, each of the text that the one before has left. */
    public Document edited(int newVersion, List<TextDocumentContentChangeEvent> changes) {
        Document document = this;
        for (TextDocumentContentChangeEvent change : changes) {
            String next = change.getText();
            if (change.getRange() != null) {
                int start = document.lines.offset(change.getRange().getStart());
                int end =
                        Math.max(start, document.lines.offset(change.getRange().getEnd()));
                next = document.text.substring(0, start) + next + document.text.substring(end);
            }
            document = new Document(uri, newVersion, next);
        }
        return document;
    }

    public String uri() {
        return uri;
    }

    public int version() {
        return version;
    }

    public String text() {
        return text;
    }

    public TextLines lines() {
        return lines;
    }

    /** Everything that is written, comments too. */
    public List<SourceToken> tokens() {
        return tokens.get();
    }

    public NameTable names() {
        return names.get();
    }

    /** The file, if it is one. */
    public Optional<Path> path() {
        return pathOf(uri);
    }

    /** The name by which locations know it. */
    public String file() {
        return path().map(Path::toString).orElse(uri);
    }

    public Source source() {
        return new Source(file(), text);
    }

    /** Where the compiler knows an offset. */
    public Location location(int offset) {
        int line = 1
                + (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
        return new Location(file(), line, offset - text.lastIndexOf('\n', offset - 1));
    }

    /** The file of a {@code file:} URI. */
    public static Optional<Path> pathOf(String uri) {
        try {
            URI parsed = URI.create(uri);
            return "file".equals(parsed.getScheme())
                    ? Optional.of(Path.of(parsed).normalize())
                    : Optional.empty();
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            // An editor may have texts that are no files.
            return Optional.empty();
        }
    }
}
