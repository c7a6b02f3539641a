package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that no option takes, whatever the command. */
class OptionValuesTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sweep x.model --budgets ,, | --budgets names nothing",
                "sweep x.model --strategies , | --strategies names nothing",
                "build x.model --arch , -o y | --arch names nothing",
                "check x.model --seed x | 'x' is not a whole number",
                "check x.model --seed 1.5 | '1.5' is not a whole number",
                "check x.model --seed 99999999999999999999 | '99999999999999999999' is beyond 9223372036854775807",
                "profile x.model --repeat 3000000000 | '3000000000' is beyond 2147483647",
                "plan x.model --precision i32 | unknown precision 'i32'; there are f32, bf16, f16, f64",
                "plan x.model --budget 1.5 | '1.5' is no whole number of bytes"
            })
    void areRefusedInPlainWords(String line, String problem) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains(problem);
    }

    /** The file is missing, which is found out after the options were taken. */
    @ParameterizedTest
    @CsvSource({
        "sweep x.model --budgets 80% --strategies auto",
        "check x.model --seed -3",
        "plan x.model --budget 1.0",
        "plan x.model --precision f64",
        "profile x.model --repeat 2147483647",
        "plan x.model --budget 1.5KiB"
    })
    void othersAreTaken(String line) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertThat(run.exitCode()).isEqualTo(ExitCode.MODEL_ERROR.number());
        assertThat(run.err()).contains("there is no file x.model");
    }

    @Test
    void settingsDoNotContradictEachOther() throws IOException {
        String model = TinyModels.text(folder);
        CommandRun twice = CommandRun.of("plan", model, "--set", "B=2,T=4,B=3");
        assertThat(twice.exitCode()).isEqualTo(ExitCode.MODEL_ERROR.number());
        assertThat(twice.err()).contains("'B' is set twice, to 2 and to 3");
        assertThat(CommandRun.of("plan", model, "--set", "B=2,T=4", "--set", "B=3")
                        .exitCode())
                .isZero();
    }

    @Test
    void foldersAreNamedWhereFilesBelong() throws IOException {
        String model = TinyModels.text(folder);
        for (String[] words : new String[][] {
            {"grad", model, "--set", "B=2,T=4", "--inputs", folder.toString()},
            {"train", model, "--set", "B=2,T=4", "--steps", "1", "--text", folder.toString()}
        }) {
            CommandRun run = CommandRun.of(words);
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
            assertThat(run.err()).isEqualTo("remat: " + folder + ": is a folder, not a file\n");
        }
    }
}
