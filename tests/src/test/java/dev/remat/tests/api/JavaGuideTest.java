package dev.remat.tests.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of {@code docs/java.md} run as they stand there, one after another, in jshell. */
@Tag("slow")
class JavaGuideTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    @Test
    void itsLinesRun() throws IOException {
        String guide = Files.readString(ROOT.resolve("docs/java.md"));
        String lines = JAVA.matcher(guide)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.joining())
                .replace("Path.of(\"samples/", "Path.of(\"" + ROOT + "/samples/")
                .replace("Path.of(\"target/", "Path.of(\"" + folder + "/");
        try (JShell shell = JShell.builder()
                .executionEngine("local")
                .compilerOptions("-classpath", System.getProperty("java.class.path"))
                .build()) {
            run(shell, lines);
            assertThat(Long.parseLong(value(shell, "saved"))).isPositive();
            assertThat(Double.parseDouble(value(shell, "again"))).isPositive();
            assertThat(value(shell, "everything")).contains("remat-plan/1");
            assertThat(Double.parseDouble(value(shell, "losses.getLast()")))
                    .isLessThan(Double.parseDouble(value(shell, "losses.getFirst()")));
            assertThat(value(shell, "weights.length")).isEqualTo("640");
            assertThat(value(shell, "heldBack.size()")).isEqualTo("2");
            assertThat(value(shell, "from")).isEqualTo("15");
        }
        assertThat(folder.resolve("mlp-run/meta.json")).exists();
    }

    private static void run(JShell shell, String lines) {
        String rest = lines;
        while (!rest.isBlank()) {
            CompletionInfo next = shell.sourceCodeAnalysis().analyzeCompletion(rest);
            assertThat(next.completeness().isComplete()).as(rest).isTrue();
            eval(shell, next.source());
            rest = next.remaining();
        }
    }

    private static String value(JShell shell, String expression) {
        return eval(shell, expression).getLast().value();
    }

    private static List<SnippetEvent> eval(JShell shell, String source) {
        List<SnippetEvent> events = shell.eval(source);
        assertThat(events).allSatisfy(event -> {
            String told = shell.diagnostics(event.snippet())
                    .map(each -> each.getMessage(null))
                    .collect(Collectors.joining("\n"));
            assertThat(event.status()).as("%s%n%s", source, told).isEqualTo(Snippet.Status.VALID);
            assertThat(event.exception()).as(source).isNull();
        });
        return events;
    }
}
