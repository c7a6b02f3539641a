import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Formats every Java source of the modules, in a process of its own because the formatter parses with the JDK it runs
 * in, which Maven's need not be. {@code check} only names the files that differ, with the first line that does.
 */
final class Format {
    private final boolean check;
    private final Formatter formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .build());

    private Format(boolean check) {
        this.check = check;
    }

    /** @param arguments {@code check} or {@code apply}, then the folders to look in */
    public static void main(String[] arguments) throws IOException {
        Format format = new Format(arguments[0].equals("check"));
        List<Path> sources = Stream.of(arguments)
                .skip(1)
                .map(Path::of)
                .flatMap(Format::sources)
                .sorted()
                .toList();
        List<String> changed = sources.parallelStream()
                .map(format::run)
                .flatMap(Optional::stream)
                .toList();
        changed.forEach(System.err::println);
        if (format.check && !changed.isEmpty()) {
            System.err.println(changed.size() + " files are not formatted; 'mvn -N validate -Pformat' formats them");
            System.exit(1);
        }
    }

    private static Stream<Path> sources(Path folder) {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(path -> path.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What to tell of a file that differs from its formatted text. */
    private Optional<String> run(Path file) {
        try {
            String text = Files.readString(file);
            String formatted = formatter.formatSourceAndFixImports(text);
            if (formatted.equals(text)) {
                return Optional.empty();
            }
            if (!check) {
                // A text block is aligned only in the pass after the one that has moved it.
                Files.writeString(file, formatter.formatSourceAndFixImports(formatted));
            }
            return Optional.of(file + ":" + firstDifference(text, formatted) + (check ? " differs" : " formatted"));
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        } catch (FormatterException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static long firstDifference(String text, String formatted) {
        List<String> before = text.lines().toList();
        List<String> after = formatted.lines().toList();
        int line = 0;
        while (line < before.size() && line < after.size() && before.get(line).equals(after.get(line))) {
            line++;
        }
        return line + 1;
    }
}
