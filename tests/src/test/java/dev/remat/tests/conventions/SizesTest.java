package dev.remat.tests.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.conventions.SourceTree.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Lines of each package, as {@code sizes.txt} has them, so that growth is seen where changes are read. {@code
 * -Dbless=true} writes it anew; some lines more or less need not.
 */
class SizesTest {
    private static final Path LEDGER = Path.of("src/test/resources/dev/remat/tests/conventions/sizes.txt");
    private static final Pattern PLACE = Pattern.compile("[^/]+(?:/[^/]+)?/src/(?:main|test)/(.*)/[^/]+");
    /** Lines that a package may gain or lose without a word. */
    private static final int SLACK = 100;

    /** Lines of what ships and of what tests it. */
    private record Size(int main, int test) {
        static final Size NONE = new Size(0, 0);

        Size plus(Size other) {
            return new Size(main + other.main, test + other.test);
        }
    }

    @Test
    void areAsTheyAreWrittenDown() throws IOException {
        SortedMap<String, Size> found = measure();
        if (Boolean.getBoolean("bless")) {
            Files.createDirectories(LEDGER.getParent());
            Files.writeString(LEDGER, write(found));
        }
        assertThat(changes(read(Files.readString(LEDGER)), found))
                .as("packages that grew or shrank; if that is meant, -Dbless=true writes sizes.txt anew")
                .isEmpty();
    }

    @Test
    void growthIsTold() {
        SortedMap<String, Size> before = read("  1000    200  compiler.plan\n   300      0  ir.op\n");
        assertThat(changes(before, read("  1101    200  compiler.plan\n   300    101  ir.op\n")))
                .containsExactly("compiler.plan: 1000 lines of main became 1101", "ir.op: 0 lines of test became 101");
        assertThat(changes(before, read("  1000    200  compiler.plan\n   120      0  ir.graph\n")))
                .containsExactly("ir.graph: 0 lines of main became 120", "ir.op: 300 lines of main became 0");
    }

    @Test
    void someLinesAreNot() {
        SortedMap<String, Size> before = read("  1000    200  compiler.plan\n");
        assertThat(changes(before, read("  1100    100  compiler.plan\n   100    100  ir.op\n")))
                .isEmpty();
    }

    @Test
    void tellsMainFromTests() {
        SortedMap<String, Size> found = measure();
        assertThat(found.get("cli.page").main()).isPositive();
        assertThat(found.get("codegen.cuda.emit").main()).isPositive();
        assertThat(found.get("tests.conventions").main()).isZero();
        assertThat(found.get("tests.conventions").test()).isPositive();
    }

    private static SortedMap<String, Size> measure() {
        SortedMap<String, Size> sizes = new TreeMap<>();
        for (SourceFile file : SourceTree.files("java", "g4", "cu", "cuh", "cc", "h", "js", "css")) {
            int lines = file.lines().size();
            sizes.merge(name(file), file.isTest() ? new Size(0, lines) : new Size(lines, 0), Size::plus);
        }
        return sizes;
    }

    /** Of the package that a file belongs to, whatever it is written in; scripts in tests belong to none. */
    private static String name(SourceFile file) {
        Matcher place = PLACE.matcher(file.path());
        assertThat(place.matches()).as(file.path()).isTrue();
        String folder = place.group(1);
        String root = "dev/remat/";
        int start = folder.indexOf(root);
        String name = start < 0 ? file.module() + "/" + folder : folder.substring(start + root.length());
        return name.replace("/java", "").replace('/', '.');
    }

    private static String write(SortedMap<String, Size> sizes) {
        Size all = sizes.values().stream().reduce(Size.NONE, Size::plus);
        StringBuilder text = new StringBuilder("# Lines of main and of tests, by package; SizesTest writes them.\n");
        text.append(line(all, "all"));
        sizes.forEach((name, size) -> text.append(line(size, name)));
        return text.toString();
    }

    private static String line(Size size, String name) {
        return String.format(Locale.ROOT, "%6d %6d  %s\n", size.main(), size.test(), name);
    }

    private static SortedMap<String, Size> read(String ledger) {
        SortedMap<String, Size> sizes = new TreeMap<>();
        ledger.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            String[] words = line.strip().split(" +", 3);
            if (!words[2].equals("all")) {
                sizes.put(words[2], new Size(Integer.parseInt(words[0]), Integer.parseInt(words[1])));
            }
        });
        return sizes;
    }

    private static List<String> changes(SortedMap<String, Size> written, SortedMap<String, Size> found) {
        TreeSet<String> names = new TreeSet<>(written.keySet());
        names.addAll(found.keySet());
        List<String> changes = new ArrayList<>();
        for (String name : names) {
            Size before = written.getOrDefault(name, Size.NONE);
            Size after = found.getOrDefault(name, Size.NONE);
            told(name, "main", before.main(), after.main(), changes);
            told(name, "test", before.test(), after.test(), changes);
        }
        return changes;
    }

    private static void told(String name, String what, int before, int after, List<String> changes) {
        if (Math.abs(after - before) > SLACK) {
            changes.add(name + ": " + before + " lines of " + what + " became " + after);
        }
    }
}
