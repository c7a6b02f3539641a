package dev.remat.cli.lsp.model;

import dev.remat.cli.lsp.text.Document;
import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceToken.Kind;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.io.SourceFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a model is to be planned with, in the words of the command line: from its first comment {@code //! plan …}, else
 * from the file {@code gpt.plan} beside {@code gpt.model}, else from what the editor is configured with.
 *
 * @param comment where it stands in the model, if it does
 */
public record PlanWords(List<String> words, Optional<SourceToken> comment) {
    static final String MARK = "//! plan";
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

    public PlanWords {
        words = List.copyOf(words);
    }

    /** @param configured of the editor; empty for nothing */
    static PlanWords of(Document document, String configured) {
        Optional<SourceToken> comment = document.tokens().stream()
                .filter(token -> token.is(Kind.COMMENT) && isMark(token.text()))
                .findFirst();
        String line = comment.map(token -> token.text().substring(MARK.length()))
                .or(() -> beside(document))
                .orElse(configured);
        return new PlanWords(split(line), comment);
    }

    private static boolean isMark(String comment) {
        return comment.startsWith(MARK)
                && (comment.length() == MARK.length() || Character.isWhitespace(comment.charAt(MARK.length())));
    }

    private static Optional<String> beside(Document document) {
        return document.path()
                .map(path -> path.resolveSibling(path.getFileName().toString().replaceFirst("\\.model$", "") + ".plan"))
                .filter(Files::isRegularFile)
                .flatMap(PlanWords::read);
    }

    private static Optional<String> read(Path file) {
        try {
            return Optional.of(SourceFiles.read(file)
                    .text()
                    .lines()
                    .filter(line -> !line.strip().startsWith("//"))
                    .collect(Collectors.joining(" ")));
        } catch (ModelException e) {
            // As if it were not there.
            return Optional.empty();
        }
    }

    private static List<String> split(String line) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3));
        }
        return words;
    }
}
