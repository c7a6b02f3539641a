package dev.remat.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchListener;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TimeLimitTest {
    private final Progress progress =
            new Progress(new Console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, false));
    private long seconds = 1_000_000;
    private long already;

    private TimeLimit limit(String... words) {
        return CommandLine.populateCommand(new TimeLimit(() -> TimeUnit.SECONDS.toNanos(seconds), already), words);
    }

    @Test
    void countsFromWhenTheCommandLineIsRead() {
        TimeLimit limit = limit("--time-limit", "10");
        seconds += 6;
        SearchListener first = limit.from(progress);
        assertThat(first.expired()).isFalse();
        seconds += 5;
        assertThat(first.expired()).isTrue();
        assertThat(limit.from(progress).expired()).as("of what comes next").isTrue();
    }

    @Test
    void countsWhatHasPassedBefore() {
        already = TimeUnit.SECONDS.toNanos(4);
        SearchListener listener = limit("--time-limit", "10").from(progress);
        seconds += 5;
        assertThat(listener.expired()).isFalse();
        seconds += 2;
        assertThat(listener.expired()).isTrue();
    }

    @Test
    void leavesHalfToWhatFollows() {
        TimeLimit limit = limit("--time-limit", "10");
        SearchListener first = limit.halfFrom(progress);
        seconds += 6;
        assertThat(first.expired()).isTrue();
        assertThat(limit.from(progress).expired()).isFalse();
    }

    @Test
    void halvesWhatIsLeft() {
        SearchListener all = limit("--time-limit", "10").from(progress);
        seconds += 4;
        SearchListener first = new ProvedBounds(all.withoutProofs()).halfOfRest();
        seconds += 2;
        assertThat(first.expired()).isFalse();
        seconds += 2;
        assertThat(first.expired()).isTrue();
        assertThat(all.expired()).isFalse();
    }

    @Test
    void leavesTimeForTheLongestThatWasRehearsed() {
        SearchListener listener = limit("--time-limit", "10").from(progress);
        assertThat(new ProvedBounds(listener.withoutProofs()).<Long>rehearse(() -> seconds += 3))
                .isEqualTo(seconds);
        listener.<Long>rehearse(() -> seconds += 1);
        seconds += 2;
        assertThat(listener.expired()).as("after 6 s, 3 s before the end").isFalse();
        seconds += 2;
        assertThat(listener.expired()).as("after 8 s").isTrue();
    }

    @Test
    void neverEndsWhatHasNoLimit() {
        SearchListener listener = limit().from(progress);
        seconds *= 1000;
        assertThat(listener.expired()).isFalse();
        assertThat(limit().halfFrom(progress).expired()).isFalse();
    }
}
