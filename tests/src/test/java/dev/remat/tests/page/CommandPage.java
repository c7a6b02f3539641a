package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * A page that a command has written, and what the command printed as JSON.
 *
 * @param json as {@link JsonTree} reads it
 */
record CommandPage(Path file, Map<?, ?> json) {
    private static final int HEIGHT = 900;
    private static final Pattern DATA = Pattern.compile("id=\"data\">([^<]*)<");

    /** Runs a command that writes {@code file} and prints JSON. */
    static CommandPage of(Path file, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = RematCommand.run(new Console(out, err, false, false), words);
        assertThat(exitCode).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return new CommandPage(file, (Map<?, ?>) JsonTree.read(out.toString(StandardCharsets.UTF_8)));
    }

    /** Opens it, as wide as a screen or a telephone. */
    Tab open(Chromium chromium, int width, boolean dark) throws IOException, InterruptedException {
        Tab tab = chromium.open();
        tab.resize(width, HEIGHT);
        tab.prefer(dark);
        tab.open(file);
        tab.await("document.querySelector('h1') !== null");
        tab.settle();
        return tab;
    }

    /** What the page was given to show, unpacked. */
    Map<?, ?> data() throws IOException {
        Matcher packed = DATA.matcher(Files.readString(file));
        assertThat(packed.find()).isTrue();
        byte[] bytes = Base64.getDecoder().decode(packed.group(1));
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return (Map<?, ?>) JsonTree.read(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Objects in a list of the JSON. */
    List<Map<?, ?>> objects(String field) {
        return objects(json, field);
    }

    static List<Map<?, ?>> objects(Map<?, ?> json, String field) {
        return ((List<?>) json.get(field))
                .stream().<Map<?, ?>>map(each -> (Map<?, ?>) each).toList();
    }

    /** Exact numbers of a table, by rows, as they are shown: those of its numeric cells. */
    static List<List<Object>> numbers(Tab tab, String table) {
        List<?> rows =
                (List<?>) JsonTree.read((String) tab.value("JSON.stringify([...document.querySelectorAll('" + table
                        + " tbody tr')].map((row) => [...row.querySelectorAll('td.number')].map((cell) =>"
                        + " cell.hasAttribute('title') ? Number(cell.title) : null)))"));
        return rows.stream()
                .<List<Object>>map(row ->
                        ((List<?>) row).stream().<Object>map(cell -> cell).toList())
                .toList();
    }

    /** That nothing is wider than the screen and nothing was complained of. */
    static void assertSound(Tab tab) {
        assertThat(tab.complaints()).isEmpty();
        assertThat(tab.value("document.documentElement.scrollWidth <= innerWidth"))
                .as("the page fits the screen's width")
                .isEqualTo(true);
    }
}
