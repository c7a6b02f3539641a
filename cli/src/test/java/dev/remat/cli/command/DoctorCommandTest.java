package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}
