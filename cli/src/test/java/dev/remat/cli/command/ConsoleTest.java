package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Console console() {
        return new Console(out, err, false, false);
    }

    @Test
    void controlCharactersAreShownNotObeyed() {
        Console console = console();
        console.note("a\u001b[2Jb\r\u0007\u007f\u009b1m");
        console.out().print("x\u0000y");
        console.flush();
        assertThat(err).hasToString("remat: a\\u001b[2Jb\\u000d\\u0007\\u007f\\u009b1m" + System.lineSeparator());
        assertThat(out).hasToString("x\\u0000y");
    }

    /** Of U+0080 to U+00BF, which share a first byte, only the first half are controls; the rest is beyond them. */
    @Test
    void allOtherTextStaysAsItIs() throws IOException {
        String text = "tab\tline\n~ \u00a0\u00ab\u00bf\u00c2\u00e9 \u4e2d \ud83d\ude00 \u2028 end";
        Console console = console();
        console.out().print(text);
        for (byte part : text.getBytes(StandardCharsets.UTF_8)) {
            console.err().write(part);
        }
        console.flush();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(text);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(text);
    }

    @Test
    void modelsAndProgressAreNotEscaped() {
        Console console = console();
        console.data().print("# \u001b");
        console.terminal().print("\r\u001b[K");
        console.flush();
        assertThat(out).hasToString("# \u001b");
        assertThat(err).hasToString("\r\u001b[K");
    }

    @Test
    void namesInTablesAndMessagesAreEscaped() throws IOException {
        Path file = Files.writeString(
                folder.resolve("chain.json"),
                SolveCommandTest.CHAIN.replace("\"name\":\"chain\"", "\"name\":\"\\u001b[31mchain\""));
        CommandRun table = CommandRun.of("solve", file.toString());
        assertThat(table.exitCode()).isZero();
        assertThat(table.out()).contains("\\u001b[31mchain").doesNotContain("\u001b");
        Files.writeString(file, SolveCommandTest.CHAIN.replace("[\"b\"]", "[\"\\u001b[31m\"]"));
        CommandRun message = CommandRun.of("solve", file.toString());
        assertThat(message.exitCode()).isEqualTo(3);
        assertThat(message.err()).contains("unknown value '\\u001b[31m'").doesNotContain("\u001b");
    }

    private CommandRun lost(String reason, String... words) {
        OutputStream failing = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(reason);
            }
        };
        int exitCode = RematCommand.run(new Console(failing, err, false, false), words);
        return new CommandRun(exitCode, "", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aResultThatIsLostIsAFailure() {
        for (String[] words : new String[][] {{"doctor", "--json"}, {"help"}, {"--version"}, {"completion"}}) {
            CommandRun run = lost("No space left on device", words);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("writing failed: standard output: No space left on device");
        }
        assertThat(lost("No space left on device", "help", "nonsense").exitCode())
                .isEqualTo(2);
    }

    @Test
    void aReaderThatHasEnoughIsNone() {
        CommandRun run = lost("Broken pipe", "help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
    }
}
