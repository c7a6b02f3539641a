package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
                "profile x.model --repeat 0 | '--repeat': it counts from 1, not 0",
                "check x.model --steps 0 | '--steps': it counts from 1, not 0",
                "fit x.model --symbol B --budget 1GiB --max 0 | '--max': it counts from 1, not 0",
                "eval x.model --init w --text t --batches 0 | '--batches': it counts from 1, not 0",
                "generate x.model --init w --prompt a --tokens 0 | '--tokens': it counts from 1, not 0",
                "train x.model --text t --steps -3 | '--steps': it counts from 1, not -3",
                "train x.model --text t --steps 9 --eval-every 0 | '--eval-every': it counts from 1, not 0",
                "train x.model --text t --steps 9 --eval-batches 0 | '--eval-batches': it counts from 1, not 0",
                "train x.model --text t --steps 9 --save s --save-every 0 | '--save-every': it counts from 1, not 0",
                "plan x.model --precision i32 | unknown precision 'i32'; there are f32, bf16, f16, f64",
                "plan x.model --budget 1e2147483647% | '1e2147483647%' is not above 0 % and up to 100 %",
                "plan x.model --budget 1e-2147483647% | '1e-2147483647%' is not above 0 % and up to 100 %",
                "plan x.model --budget 1e2147483648% | '1e2147483648%' is not above 0 %",
                "plan x.model --budget 1e400GiB | '1e400GiB' is not a size such as 6GiB",
                "plan x.model --budget NaN | 'NaN' is neither a size such as 6GiB nor a known device",
                "plan x.model --budget NaN% | 'NaN%' is not a percentage",
                "plan x.model --budget -5% | '-5%' is not above 0 % and up to 100 %",
                "plan x.model --budget -5GiB | '-5GiB' is not a size such as 6GiB",
                "plan x.model --time-limit 1e2147483647 | '1e2147483647' is not above 0 and up to",
                "plan x.model --set B=2 T=8 | without spaces: --set B=2,T=8",
                "plan x.model --json --set B=2, T=8, width=[3] | without spaces: --set B=2,T=8,width=[3]",
                "plan --set B=2 T=8 x.model | without spaces: --set B=2,T=8",
                "plan x.model y.model --set B=2 | unmatched argument at index 2: 'y.model'",
                "plan @x.model --nothing | unknown option: '--nothing'",
                "plan x.model --budget 1.5 | '1.5' is no whole number of bytes"
            })
    void areRefusedInPlainWords(String line, String problem) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains(problem);
    }

    /** As many as Linux passes in one word. */
    @ParameterizedTest
    @ValueSource(strings = {"--budget", "--seed", "--time-limit"})
    void digitsWithoutEndAreRefusedAtOnceAndNotRepeated(String option) {
        String digits = "7".repeat(130_000);
        for (String value : List.of(digits, digits + "%", digits + "GiB", "0." + digits + "%", "-" + digits)) {
            CommandRun run = CommandRun.of("plan", "x.model", option + "=" + value);
            if (run.exitCode() == ExitCode.MODEL_ERROR.number()) {
                assertThat(value).startsWith("0.");
            } else {
                assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
                assertThat(run.err()).contains("7777…'").hasSizeLessThan(400);
            }
        }
    }

    /** A file whose name begins with @ is a file; words are not read from it. */
    @Test
    void wordsAreNotTakenFromFiles() throws IOException {
        Path words = Files.writeString(folder.resolve("words"), "--version");
        CommandRun run = CommandRun.of("@" + words);
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains("unknown command '@" + words);
        assertThat(CommandRun.of("@" + folder).exitCode()).isEqualTo(ExitCode.USAGE.number());
    }

    /** The file is missing, which is found out after the options were taken. */
    @ParameterizedTest
    @CsvSource({
        "sweep x.model --budgets 80% --strategies auto",
        "check x.model --seed -3",
        "check x.model --steps 1",
        "fit x.model --symbol B --budget 1GiB --max 1",
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
