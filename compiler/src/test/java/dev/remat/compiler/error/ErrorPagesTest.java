package dev.remat.compiler.error;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.diagnostic.Diagnostic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErrorPagesTest {
    private static final Pattern EXAMPLE = Pattern.compile("```remat( fails)?\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("\"([EW]0[0-9]{3})\"");

    @TempDir
    Path folder;

    @Test
    void showExamplesThatDoWhatThePageSays() throws IOException {
        for (String code : ErrorPages.codes()) {
            String page = ErrorPages.find(code).orElseThrow();
            assertThat(page).startsWith("# " + code + ": ").contains("```");
            Matcher example = EXAMPLE.matcher(page);
            while (example.find()) {
                List<Diagnostic> findings = Findings.of(
                        code, Files.writeString(folder.resolve("example.model"), example.group(2)), example.group(2));
                if (example.group(1) == null) {
                    assertThat(findings).as("%s: the corrected example", code).isEmpty();
                } else {
                    assertThat(findings)
                            .extracting(Diagnostic::code)
                            .as(page)
                            .isNotEmpty()
                            .containsOnly(code);
                }
            }
        }
    }

    @Test
    void explainEveryCodeThatIsUsed() throws IOException {
        TreeSet<String> used = new TreeSet<>();
        for (String sources : List.of("src/main/java", "../cli/src/main/java")) {
            try (Stream<Path> files = Files.walk(Path.of(sources))) {
                for (Path file :
                        files.filter(name -> name.toString().endsWith(".java")).toList()) {
                    CODE.matcher(Files.readString(file)).results().forEach(match -> used.add(match.group(1)));
                }
            }
        }
        assertThat(used).containsExactlyElementsOf(ErrorPages.codes());
    }

    @Test
    void findNoPageForWhatIsNoCode() {
        assertThat(ErrorPages.find("E9999")).isEmpty();
        assertThat(ErrorPages.find("../errors/E0102")).isEmpty();
    }
}
