package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
    @Test
    void saysWhatKernelsAreCompiledWith() {
        CommandRun run = CommandRun.of("doctor");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).containsPattern("(?m)^ok +NVRTC +13\\.1, verified in /");
        assertThat(CommandRun.of("doctor", "--json").out())
                .contains("\"schema\": \"remat-doctor/1\"")
                .containsPattern("\"part\": \"NVRTC\",\\s+\"found\": true,\\s+\"detail\": \"13\\.1, verified in /");
    }

    @Test
    void tellsTheLimitsOfMemory() {
        assertThat(CommandRun.of("doctor").out())
                .containsPattern("(?m)^ok +memory +this machine has [0-9.]+ [KMG]iB free of [0-9.]+ [KMG]iB$")
                .containsPattern(
                        "(?m)^ok +process +[0-9.]+ MiB beside the arena, and 7.81 MiB more with 1000 kernels$");
    }

    @Test
    void measuresADisk(@TempDir Path folder) {
        CommandRun run = CommandRun.of("doctor", "--disk", folder.toString());
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .containsPattern("(?m)^ok +disk +" + Pattern.quote(folder.toString())
                        + " is moved to and from in blocks of 4096 bytes: stores [0-9.]+ [KMG]?i?B/s, fetches ");
        assertThat(folder).isEmptyDirectory();
        CommandRun none =
                CommandRun.of("doctor", "--disk", folder.resolve("none").toString());
        assertThat(none.exitCode()).isZero();
        assertThat(none.out()).containsPattern("(?m)^none +disk +there is no folder .*/none");
    }
}
