package dev.remat.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long seconds = 100;

    private Progress progress(boolean terminal) {
        Console console = new Console(OutputStream.nullOutputStream(), err, false, terminal);
        return new Progress(console, () -> TimeUnit.SECONDS.toNanos(seconds));
    }

    private String told() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void saysNowAndThenInALogWhatTakesLong() {
        try (Progress progress = progress(false)) {
            progress.tell("planning by one");
            seconds += 29;
            progress.tell("planning by two");
            assertThat(told()).isEmpty();
            seconds += 2;
            progress.tell("planning by three");
            progress.tell("planning by four");
            seconds += 30;
            progress.tell("planning by five");
        }
        assertThat(told()).isEqualTo("planning by three, after 31 s\nplanning by five, after 61 s\n");
    }

    @Test
    void overwritesOneLineOnATerminalAndTakesItAway() {
        try (Progress progress = progress(true)) {
            progress.tell("planning by one");
            assertThat(told()).endsWith("planning by one …");
        }
        assertThat(told()).endsWith("\r\u001b[K");
    }
}
