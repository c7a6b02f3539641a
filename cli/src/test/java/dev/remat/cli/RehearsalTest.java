package dev.remat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rehearsal says nothing, not even that what it was to practise is wrong. */
class RehearsalTest {
    @TempDir
    Path folder;

    @Test
    void practisesAModelThatTrains() throws IOException {
        assertThat(train(Rehearsal.PRACTICE)).contains("\"step\":1", "\"loss\":");
        assertThat(train(Rehearsal.PRACTICE.replace("rms_norm", "no_norm"))).contains("'no_norm'");
    }

    private String train(String text) throws IOException {
        Path model = Files.writeString(folder.resolve("practice.model"), text);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        RematCommand.run(
                new Console(told, told, false, false),
                ("train " + model + " --set B=1,T=16 --data synthetic --steps 1 --json").split(" "));
        return told.toString(UTF_8);
    }
}
