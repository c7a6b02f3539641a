package dev.remat.tests.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A table that is torn, as by a blank line, is shown as a line of text with bars. */
class TablesTest {
    @Test
    void everyTableIsWhole() throws IOException {
        List<String> torn = new ArrayList<>();
        for (Path document : Documents.all()) {
            torn(Files.readAllLines(document)).forEach(line -> torn.add(Documents.name(document) + ":" + line));
        }
        assertThat(torn).isEmpty();
    }

    @Test
    void theRuleCanFail() {
        List<String> whole = List.of("a", "", "| x | y |", "|---|---:|", "| 1 | `a\\|b` |", "", "```", "| x", "```");
        assertThat(torn(whole)).isEmpty();
        assertThat(torn(List.of("| x | y |", "|---|---|", "| 1 | 2 |", "", "| 3 | 4 |")))
                .containsExactly(5);
        assertThat(torn(List.of("| x | y |", "|---|---|", "| 1 |"))).containsExactly(3);
    }

    /** Lines, from 1, where a table begins without a head or has another number of columns than its head. */
    private static List<Integer> torn(List<String> lines) {
        List<Integer> torn = new ArrayList<>();
        boolean code = false;
        int columns = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            code ^= line.startsWith("```");
            if (code || !line.startsWith("|")) {
                columns = 0;
            } else if (columns == 0) {
                columns = columns(line);
                if (i + 1 == lines.size() || !lines.get(i + 1).strip().matches("\\|(:?-+:?\\|)+")) {
                    torn.add(i + 1);
                }
            } else if (columns(line) != columns) {
                torn.add(i + 1);
            }
        }
        return torn;
    }

    private static int columns(String row) {
        return row.replace("\\|", "").split("\\|", -1).length - 2;
    }
}
