package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.reference.KnownFunction;
import dev.remat.compiler.reference.LanguageReference;
import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceTokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The editor's grammar colours what the compiler reads; {@code -Dbless=true} writes its lists of names anew. */
class TextMateGrammarTest {
    private static final Path GRAMMAR = Path.of("editors/vscode/syntaxes/remat.tmLanguage.json");
    private static final Pattern BLOCK = Pattern.compile("```remat(?: body)?\n(.*?)```", Pattern.DOTALL);

    @Test
    void listsEveryBuiltinAndDtype() throws IOException {
        String grammar = Files.readString(GRAMMAR);
        String builtins = names(
                LanguageReference.builtins().stream().map(KnownFunction::name).toList());
        String written = grammar.replaceFirst(
                        "(support\\.function\\.remat\", \"match\": \"\\\\\\\\b\\()[^)]*", "$1" + builtins)
                .replaceFirst(
                        "(storage\\.type\\.remat\", \"match\": \"\\\\\\\\b\\()[^)]*",
                        "$1" + names(LanguageReference.dtypes()));
        if (Boolean.getBoolean("bless")) {
            Files.writeString(GRAMMAR, written);
        } else {
            assertThat(grammar).isEqualTo(written);
        }
    }

    /** Longer names first, for the first that matches counts. */
    private static String names(List<String> names) {
        return names.stream()
                .sorted(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()))
                .collect(Collectors.joining("|"));
    }

    @Test
    void agreesWithTheCompilerOnSamplesAndDocs() throws IOException {
        TextMateGrammar grammar = new TextMateGrammar(Files.readString(GRAMMAR));
        Map<String, String> texts = texts();
        assertThat(texts).hasSizeGreaterThan(30);
        texts.forEach((name, text) -> {
            List<String> scopes = grammar.scopes(text);
            for (SourceToken token : SourceTokens.of(text)) {
                String expected = scope(token);
                for (int i = token.start(); i < token.end() && !expected.isEmpty(); i++) {
                    assertThat(scopes.get(i)).as(name + ": " + token.text()).matches(expected);
                }
            }
        });
    }

    @Test
    void tellsWordsFromNames() throws IOException {
        TextMateGrammar grammar = new TextMateGrammar(Files.readString(GRAMMAR));
        String text = "layers = buffer(layer_norm, as_is) // layer\n";
        List<String> scopes = grammar.scopes(text);
        assertThat(scopes.get(0)).startsWith("variable");
        assertThat(scopes.get(text.indexOf("buffer"))).startsWith("variable");
        assertThat(scopes.get(text.indexOf("layer_norm"))).startsWith("support.function");
        assertThat(scopes.get(text.indexOf("as_is"))).startsWith("variable");
        assertThat(scopes.get(text.indexOf("// layer") + 4)).startsWith("comment");
        assertThat(grammar.scopes("  buffer t: f32[2]").get(2)).startsWith("keyword");
        assertThat(grammar.scopes("  stage").get(2)).startsWith("keyword");
        assertThat(grammar.scopes("if deep { stage }").get(10)).startsWith("keyword");
        assertThat(grammar.scopes("  stage = f(x)").get(2)).startsWith("variable");
        assertThat(grammar.scopes("  y = stage").get(6)).startsWith("variable");
    }

    private static String scope(SourceToken token) {
        return switch (token.kind()) {
            case WORD ->
                token.text().equals("true") || token.text().equals("false") ? "constant\\.language.*" : "keyword\\..*";
            case NUMBER -> "constant\\.numeric.*";
            case STRING -> "string\\.quoted.*|constant\\.character.*";
            case COMMENT -> "comment\\.line.*";
            case NAME -> name(token.text());
            case SIGN, END, STRAY -> "";
        };
    }

    private static String name(String text) {
        String own = "entity\\.name.*|variable.*";
        // A word before its statement, and a name elsewhere.
        if (text.equals("buffer") || text.equals("optimizer")) {
            return own + "|keyword\\.declaration.*";
        }
        if (text.equals("stage")) {
            return own + "|keyword\\.control.*";
        }
        boolean dtype = LanguageReference.dtypes().contains(text);
        boolean constant = LanguageReference.CONSTANTS.contains(text);
        boolean builtin = LanguageReference.builtin(text).isPresent();
        return own
                + (dtype
                        ? "|storage\\.type.*"
                        : constant ? "|constant\\.language.*" : builtin ? "|support\\.function.*" : "");
    }

    private static Map<String, String> texts() throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Path folder : List.of(Path.of("../samples"), Path.of("../docs"), Path.of(".."))) {
            List<Path> files = new ArrayList<>();
            try (Stream<Path> found = Files.list(folder)) {
                found.filter(Files::isRegularFile).sorted().forEach(files::add);
            }
            for (Path file : files) {
                if (file.toString().endsWith(".model")) {
                    texts.put(file.toString(), Files.readString(file));
                } else if (file.toString().endsWith(".md")) {
                    Matcher block = BLOCK.matcher(Files.readString(file));
                    while (block.find()) {
                        texts.put(file + ":" + block.start(), block.group(1));
                    }
                }
            }
        }
        return texts;
    }
}
