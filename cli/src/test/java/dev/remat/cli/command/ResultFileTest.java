package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.console.ResultFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFileTest {
    @TempDir
    Path folder;

    private Path read;

    @BeforeEach
    void writeInput() throws IOException {
        read = Files.writeString(folder.resolve("chain.json"), SolveCommandTest.CHAIN);
    }

    @Test
    void aResultNeverReplacesWhatIsRead() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), read);
        for (Path same : new Path[] {read, link, folder.resolve("../" + folder.getFileName() + "/chain.json")}) {
            assertThatThrownBy(() -> ResultFile.check(same, folder.resolve("other"), read))
                    .hasMessage(same + ": is what is read and would be replaced; name another file");
        }
    }

    @Test
    void aCopyMayBeReplacedAndAMissingInputIsNoMatterHere() throws IOException {
        Path copy = Files.copy(read, folder.resolve("copy.json"));
        assertThatCode(() -> ResultFile.check(copy, read)).doesNotThrowAnyException();
        assertThatCode(() -> ResultFile.check(null, read)).doesNotThrowAnyException();
        assertThatCode(() -> ResultFile.check(copy, folder.resolve("none"))).doesNotThrowAnyException();
    }

    @Test
    void commandsRefuseItAndLeaveTheFileAlone() {
        for (String command : new String[] {"solve", "pack", "profile"}) {
            CommandRun run = CommandRun.of(command, read.toString(), "-o", read.toString());
            assertThat(run.exitCode()).as(command).isEqualTo(2);
            assertThat(run.err()).contains("is what is read");
        }
        CommandRun grad = CommandRun.of("grad", "x.model", "--inputs", read.toString(), "-o", read.toString());
        assertThat(grad.exitCode()).isEqualTo(2);
        assertThat(grad.err()).contains("is what is read");
        assertThat(read).hasContent(SolveCommandTest.CHAIN);
    }

    /** A checkpoint's description, or what a later run would take for data. */
    @Test
    void aResultLiesInNoFolderThatIsRead() throws IOException {
        Path run = Files.createDirectories(folder.resolve("run/inner")).getParent();
        Path link = Files.createSymbolicLink(folder.resolve("elsewhere"), run);
        for (Path below : new Path[] {run.resolve("meta.json"), run.resolve("inner/new"), link.resolve("new")}) {
            assertThatThrownBy(() -> ResultFile.check(below, read, run))
                    .hasMessage(below + ": lies in " + run + ", which is read; name another place with -o");
        }
        Files.createDirectory(folder.resolve("run2"));
        for (String beside : new String[] {"run.safetensors", "run2/new"}) {
            assertThatCode(() -> ResultFile.check(folder.resolve(beside), read, run, null))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void commandsRefuseToReplaceDataNamesAndCosts() throws IOException {
        Path run = Files.createDirectory(folder.resolve("run"));
        Path meta = Files.writeString(run.resolve("meta.json"), "{}");
        String[][] lines = {
            {"eval", "x.model", "--init", "w", "--data", read.toString(), "-o", read.toString()},
            {"eval", "x.model", "--init", "w", "--text", read.toString(), "-o", read.toString()},
            {"eval", "x.model", "--init", "w", "--data", run.toString(), "-o", meta.toString()},
            {"export", "x.model", "--resume", run.toString(), "-o", meta.toString()},
            {"export", "x.model", "--init", "w", "--names", read.toString(), "-o", read.toString()},
            {"profile", "x.model", "--costs", read.toString(), "-o", read.toString()},
            {"profile", "x.model", "--costs", "roofline:" + read, "-o", read.toString()},
            {"grad", "x.model", "--inputs", "i", "--costs", read.toString(), "-o", read.toString()},
        };
        for (String[] line : lines) {
            CommandRun refused = CommandRun.of(line);
            assertThat(refused.exitCode()).as(String.join(" ", line)).isEqualTo(2);
            assertThat(refused.err()).containsAnyOf("is what is read", "which is read");
        }
        assertThat(read).hasContent(SolveCommandTest.CHAIN);
        assertThat(meta).hasContent("{}");
    }

    @Test
    void anEmptyNameIsNotTheCurrentFolder() {
        for (String[] words : new String[][] {
            {"solve", read.toString(), "-o", ""}, {"solve", ""}, {"build", "x.model", "--arch", "sm_80", "-o", " "}
        }) {
            CommandRun run = CommandRun.of(words);
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("the name of a file or folder is not empty");
        }
    }
}
