package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Editors put a byte order mark at the beginning of files; no command minds it there. */
class ByteOrderMarkTest {
    private static final String MARK = "\uFEFF";

    @TempDir
    Path folder;

    /** What a command prints of a file without and with a mark; names and times differ by nothing else. */
    private void printsTheSame(String name, String content, String... options) throws IOException {
        Path file = folder.resolve(name);
        String[] words = new String[options.length + 1];
        System.arraycopy(options, 0, words, 0, options.length);
        words[options.length] = file.toString();
        Files.writeString(file, content);
        CommandRun plain = CommandRun.of(words);
        Files.writeString(file, MARK + content);
        CommandRun marked = CommandRun.of(words);
        assertThat(withoutTimes(marked)).isEqualTo(withoutTimes(plain));
    }

    private static CommandRun withoutTimes(CommandRun run) {
        return new CommandRun(run.exitCode(), run.out().replaceAll("\"?[Ss]econds.*|\\d+\\.\\d+ s\\b", ""), run.err());
    }

    @Test
    void isIgnoredAtTheBeginning() throws IOException {
        printsTheSame("chain.json", SolveCommandTest.CHAIN, "solve", "--json");
        printsTheSame("chain.json", SolveCommandTest.CHAIN + "x", "solve", "--json");
        printsTheSame("buffers.csv", "id,lower,upper,size\na,0,3,4\nb,0,3,6\n", "pack", "--json");
        String model = Files.readString(Path.of(TinyModels.text(folder)));
        printsTheSame("tiny.model", model, "plan", "--set", "B=2,T=4");
        printsTheSame("tiny.model", model.replace("dropout", "dropuot"), "plan", "--set", "B=2,T=4");
        String device = """
            {"format":"remat-device/1","name":"toy","flopsPerSecond":{"f32":1e9},
            "bytesPerSecond":1e9,"launchNanos":0}
            """;
        printsTheSame("toy.json", device, "plan", TinyModels.text(folder), "--set", "B=2,T=4", "--costs");
    }

    @Test
    void isNoJsonElsewhere() throws IOException {
        Path file = Files.writeString(folder.resolve("chain.json"), SolveCommandTest.CHAIN + MARK);
        assertThat(CommandRun.of("solve", file.toString()).exitCode()).isEqualTo(ExitCode.MODEL_ERROR.number());
    }
}
