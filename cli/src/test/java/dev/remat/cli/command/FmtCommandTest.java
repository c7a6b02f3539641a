package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FmtCommandTest {
    private static final String CROOKED = """
        remat 1
        model M( width:int=4 ) { // comment
        input x:f32[2,width]
          loss=mean( x )
        }
        train {  minimize   loss
        optimizer sgd(lr=0.1)  }
        """;

    @TempDir
    Path folder;

    @Test
    void printsWritesAndChecks() throws IOException {
        Path file = Files.writeString(folder.resolve("m.model"), CROOKED);
        CommandRun checked = CommandRun.of("fmt", "--check", file.toString());
        assertThat(checked.exitCode()).isEqualTo(3);
        assertThat(checked.err()).contains("not in canonical form");
        CommandRun printed = CommandRun.of("fmt", file.toString());
        assertThat(printed.exitCode()).isZero();
        assertThat(printed.out()).contains("// comment").isNotEqualTo(CROOKED);
        assertThat(file).hasContent(CROOKED);
        assertThat(CommandRun.of("fmt", "-w", file.toString()).exitCode()).isZero();
        assertThat(file).hasContent(printed.out());
        assertThat(CommandRun.of("fmt", "--check", file.toString()).exitCode()).isZero();
        assertThat(CommandRun.of("fmt", file.toString()).out()).isEqualTo(printed.out());
    }

    @Test
    void reportsSyntaxErrorsWithTheirLine() throws IOException {
        Path file = Files.writeString(folder.resolve("m.model"), "remat 1\nmodel M( {\n}\n");
        CommandRun run = CommandRun.of("fmt", file.toString());
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("m.model:2:", "error[E", " 2 | model M( {", "^", "remat help error E")
                .doesNotContain("\tat ");
        assertThat(file).hasContent("remat 1\nmodel M( {\n}\n");
    }

    @Test
    void reportsAMissingFile() {
        CommandRun run = CommandRun.of("fmt", folder.resolve("none.model").toString());
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("there is no file").doesNotContain("\tat ");
    }

    @Test
    void refusesContradictingOptions() {
        assertThat(CommandRun.of("fmt", "-w", "--check", "x.model").exitCode()).isEqualTo(2);
    }
}
