package dev.remat.compiler.error;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Odd models with the expected findings after the offending lines: {@code //~ 7 E0102: message}, the column first.
 * {@code -Dbless=true} writes them anew.
 */
class DiagnosticGoldenTest {
    private static final List<String> FOUND_ELSEWHERE = List.of("E0205", "E0406");
    /**
     * Codes of planning problems, of folders to import and of stages, which are no models; {@code ProblemFileTest}, the
     * command line's {@code ImportRefusalsTest} and {@code SetCheckerTest} have an example of each.
     */
    private static final List<String> FOUND_IN_OTHER_FILES = List.of("E06", "E07", "E09");

    private static final Path FOLDER = Path.of("src/test/resources/diagnostics");

    static List<Path> goldens() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void findsWhatTheFileSays(Path file) throws IOException {
        String text = Files.readString(file);
        String bare = text.replaceAll(" *//~[^\n]*", "");
        String annotated = annotate(file, bare, Findings.of(code(file), file, bare));
        if (Boolean.getBoolean("bless")) {
            Files.writeString(file, annotated);
        } else {
            assertThat(annotated).isEqualTo(text);
        }
        assertThat(annotated).contains(" " + code(file) + ": ");
    }

    @Test
    void coverEveryCode() throws IOException {
        List<String> codes = new ArrayList<>(ErrorPages.codes());
        codes.removeAll(FOUND_ELSEWHERE);
        codes.removeIf(code -> FOUND_IN_OTHER_FILES.contains(code.substring(0, 3)));
        assertThat(goldens().stream().map(DiagnosticGoldenTest::code).distinct())
                .containsExactlyElementsOf(codes);
    }

    private static String code(Path file) {
        return file.getFileName().toString().substring(0, 5);
    }

    private static String annotate(Path file, String text, List<Diagnostic> findings) {
        StringBuilder out = new StringBuilder();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            out.append(line);
            for (Diagnostic finding : findings) {
                Location location = finding.location();
                if (location.line() == number && location.file().equals(file.toString())) {
                    out.append("  //~ ").append(location.column());
                    out.append(finding.length() > 1 ? "+" + finding.length() : "");
                    out.append(' ').append(finding.code()).append(": ").append(finding.message());
                    finding.notes().forEach(note -> out.append(" = ").append(note));
                }
            }
            out.append('\n');
        }
        return out.toString();
    }
}
