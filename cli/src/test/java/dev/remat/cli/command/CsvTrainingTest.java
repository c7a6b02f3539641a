package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables are read as a whole before the first step, which a terminal is told. */
class CsvTrainingTest {
    @TempDir
    Path folder;

    private String messages(boolean terminal, String... more) throws IOException {
        String table = TinyModels.write(folder, "table.csv", "x.0,x.1,x.2\n" + "1,2,3\n".repeat(20));
        String[] words = {
            "train", TinyModels.measuring(folder), "--set", "B=2", "--steps", "2", "--json", "--data", table
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] all = Stream.of(words, more).flatMap(Arrays::stream).toArray(String[]::new);
        assertThat(RematCommand.run(new Console(out, err, false, terminal), all))
                .isZero();
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aTerminalIsToldWhileRowsAreRead() throws IOException {
        String told = "\r\u001b[Kreading the rows of " + folder.resolve("table.csv") + " …\r\u001b[K";
        assertThat(messages(true)).containsOnlyOnce(told).endsWith(told);
        assertThat(messages(true, "--eval-every", "1")).contains(told + told);
    }

    @Test
    void elseNobodyIs() throws IOException {
        assertThat(messages(false)).isEmpty();
    }
}
