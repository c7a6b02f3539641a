package dev.remat.compiler.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.VerificationException;
import dev.remat.ir.text.GraphParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One behaviour of a pass a file: a sentence, {@code run: <pass> key=value}, a graph, {@code ---}, and what the pass
 * makes of it: a graph, a text, or the word {@code unchanged}. Where it refuses, the message stands behind the
 * offending line and there is no second part. {@code -Dbless=true} writes the answers anew, and
 * {@code -Dremat.pass.file=<pass>/<behaviour>.ir} runs one file alone.
 */
class PassFilesTest {
    private static final Path FOLDER = Path.of("src/test/resources/passes");
    private static final String UNCHANGED = "unchanged\n";
    private static final Pattern FILE =
            Pattern.compile("((?://[^\n]+\n)+)run: ([a-z-]+)([^\n]*)\n(.*?)(?:---\n(.*))?", Pattern.DOTALL);
    private static final Pattern ARGUMENT = Pattern.compile(" ([a-z_A-Z]+)=(.*?)(?= [a-z_A-Z]+=|$)");
    private static final Pattern REFUSAL = Pattern.compile(" *// error: [^\n]*");

    static List<Path> asked() throws IOException {
        String only = System.getProperty("remat.pass.file", "");
        return only.isEmpty() ? files() : List.of(FOLDER.resolve(only));
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("asked")
    void doesWhatTheFileSays(Path file) throws IOException {
        String text = Files.readString(file);
        Matcher parts = FILE.matcher(text);
        assertThat(parts.matches()).as("sentence, run: and graph").isTrue();
        assertThat(parts.group(2)).isEqualTo(file.getParent().getFileName().toString());
        String input = REFUSAL.matcher(parts.group(4)).replaceAll("");
        String expected = parts.group(5) == null ? "" : parts.group(5);
        Graph graph = GraphParser.parse(input);

        String refused = input;
        String made = "";
        try {
            made = made(Passes.run(parts.group(2), graph, arguments(parts.group(3))), graph);
        } catch (ModelException e) {
            for (Diagnostic finding : e.diagnostics()) {
                refused =
                        annotate(refused, line(refused, finding.location()), finding.code() + " " + finding.message());
            }
        } catch (VerificationException e) {
            String message = e.getMessage().replace(" (" + Location.NONE + ")", "");
            refused = annotate(refused, line(refused, message), message);
        }
        if (Boolean.getBoolean("bless")) {
            String second = made.isEmpty() ? "" : "---\n" + (made.equals(normal(expected)) ? expected : made);
            Files.writeString(file, text.substring(0, parts.start(4)) + refused + second);
        } else {
            assertThat(refused + made).isEqualTo(parts.group(4) + normal(expected));
        }
    }

    @Test
    void everyPassHasAFile() throws IOException {
        assertThat(files().stream().map(file -> file.getParent().getFileName().toString()))
                .containsAll(Passes.names());
    }

    private static Map<String, String> arguments(String text) {
        Map<String, String> arguments = new LinkedHashMap<>();
        Matcher argument = ARGUMENT.matcher(text);
        while (argument.find()) {
            arguments.put(argument.group(1), argument.group(2));
        }
        return arguments;
    }

    private static String made(Passes.Product product, Graph before) {
        return switch (product) {
            case Passes.Made(Graph graph) -> graph.equals(before) ? UNCHANGED : ShortForm.of(graph);
            case Passes.Said(String text) -> text;
        };
    }

    /** What is expected, in the layout of what is made. */
    private static String normal(String expected) {
        boolean graph = Stream.of("input ", "output ", "%", "//").anyMatch(expected::startsWith);
        return graph ? ShortForm.of(GraphParser.parse(expected)) : expected;
    }

    private static String annotate(String text, int line, String message) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        lines.set(line, lines.get(line) + "  // error: " + message);
        return String.join("\n", lines) + "\n";
    }

    /** The first line that names a place. */
    private static int line(String text, Location location) {
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches(".* @" + Pattern.quote(location.toString()) + "( .*)?")) {
                return i;
            }
        }
        return lines.size() - 1;
    }

    /** The line of the node that a message begins with, such as {@code #3}, or the last. */
    private static int line(String text, String message) {
        List<String> lines = text.lines().toList();
        Matcher node = Pattern.compile("#(\\d+) .*").matcher(message);
        int left = node.matches() ? Integer.parseInt(node.group(1)) : lines.size();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches("[%=].*") && left-- == 0) {
                return i;
            }
        }
        return lines.size() - 1;
    }
}
