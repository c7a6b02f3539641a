package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackCommandTest {
    /** b and c share what a leaves of 12: a, b, d are live together from 0, and a, c, d from 3: 12 either way. */
    private static final String TABLE = "id,lower,upper,size\na,0,9,4\nb,0,3,6\nc,3,9,6\nd,0,21,2\n";

    @TempDir
    Path folder;

    private Path file;
    private Path output;

    @BeforeEach
    void writeTable() throws IOException {
        file = Files.writeString(folder.resolve("buffers.csv"), TABLE);
        output = folder.resolve("layout.csv");
    }

    @Test
    void theLowestLayoutIsWrittenAndReported() throws IOException {
        CommandRun run = CommandRun.of("pack", file.toString(), "-o", output.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("4 buffers", "no layout is lower", "largest sum of what is live together")
                .containsPattern("height +12 ")
                .containsPattern("utilisation +52.4 %")
                .contains("by greedy");
        assertThat(Files.readString(output))
                .startsWith("id,lower,upper,size,offset\na,0,9,4,")
                .hasLineCount(5);
    }

    @Test
    void jsonTellsTheSame() {
        CommandRun run = CommandRun.of("pack", file.toString(), "--capacity", "13", "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains(
                        "\"schema\": \"remat-pack/1\"",
                        "\"buffers\": 4",
                        "\"capacity\": 13",
                        "\"liveSum\": 12",
                        "\"lowerBound\": 12",
                        "\"foundBy\": \"greedy\"");
        assertThat(CommandRun.of("pack", file.toString(), "--json").out())
                .contains("\"capacity\": null", "\"height\": 12", "\"proven\": true");
    }

    @Test
    void aCapacityThatIsImpossibleIsRefusedAndNothingWritten() {
        CommandRun run = CommandRun.of("pack", file.toString(), "--capacity", "11", "-o", output.toString());
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains(
                        "no layout within 11 is possible: it is proven that none is lower than 12",
                        "nothing was written")
                .doesNotContain("unknown");
        assertThat(output).doesNotExist();
        assertThat(CommandRun.of("pack", file.toString(), "--capacity", "12", "-o", output.toString())
                        .exitCode())
                .isZero();
        assertThat(output).exists();
    }

    /** Of mixed sizes and lengths, such that greedy orders lie above the live sum; no time is left for more. */
    @Test
    void aCapacityThatIsNeitherMetNorDisprovedIsUnknown() throws IOException {
        StringBuilder table = new StringBuilder("id,lower,upper,size\n");
        for (int i = 0; i < 300; i++) {
            int lower = i * 7919 % 101;
            table.append("x%d,%d,%d,%d\n".formatted(i, lower, lower + 1 + i * 31 % 23, 100 + i * 37 % 401));
        }
        Files.writeString(file, table);
        String[] common = {"pack", file.toString(), "--time-limit", "0.000001"};
        String report =
                CommandRun.of(common[0], common[1], common[2], common[3]).out();
        Matcher found =
                Pattern.compile("height +(\\d+) .*\\s+lower bound +(\\d+) ").matcher(report);
        assertThat(found.find()).as(report).isTrue();
        long capacity = Long.parseLong(found.group(1)) - 1;
        assertThat(capacity).isGreaterThanOrEqualTo(Long.parseLong(found.group(2)));
        CommandRun run = CommandRun.of(
                common[0],
                common[1],
                common[2],
                common[3],
                "--capacity",
                Long.toString(capacity),
                "-o",
                output.toString());
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err())
                .contains(
                        "no layout within " + capacity + " was found, and whether there is one is unknown",
                        "nothing was written; a longer --time-limit may settle it");
        assertThat(output).doesNotExist();
    }

    @Test
    void aPlaceThatTakesNoLayoutIsRefusedBeforeAnythingIsRead() {
        Path homeless = folder.resolve("no/layout.csv");
        CommandRun run = CommandRun.of("pack", folder.resolve("none.csv").toString(), "-o", homeless.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("remat: " + folder.resolve("no") + ": no such file or directory\n");
        assertThat(folder.toFile().list()).containsExactly("buffers.csv");
    }

    @Test
    void mistakesAreDiagnosedWithTheirLocation() throws IOException {
        Files.writeString(file, TABLE.replace("b,0,3,6", "b,3,3,6"));
        CommandRun run = CommandRun.of("pack", file.toString(), "-o", output.toString());
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .contains("buffers.csv:3:1: error[E0608]: 'b' is live from 3 up to 3", "remat help error E0608")
                .doesNotContain("\tat ");
        Files.writeString(file, TABLE.replace("upper", "end"));
        CommandRun columns = CommandRun.of("pack", file.toString());
        assertThat(columns.exitCode()).isEqualTo(3);
        assertThat(columns.err())
                .contains(
                        "buffers.csv:1:10: error[E0607]: unknown column 'end'",
                        "write 'upper', the time from which a buffer is no longer live");
        assertThat(CommandRun.of("pack", folder.resolve("none.csv").toString()).exitCode())
                .isEqualTo(3);
        Files.writeString(file, TABLE);
        assertThat(CommandRun.of("pack", file.toString(), "--capacity", "0").exitCode())
                .isEqualTo(2);
        assertThat(CommandRun.of("pack", file.toString(), "--capacity", "6XB").exitCode())
                .isEqualTo(2);
    }
}
