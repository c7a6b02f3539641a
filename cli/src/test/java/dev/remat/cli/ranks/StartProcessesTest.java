package dev.remat.cli.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import dev.remat.runtime.process.ProcessGrid;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks that end before they have found each other. */
@Timeout(30)
class StartProcessesTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private StartProcesses.Ended run(int ranks, String... programs) throws IOException {
        Console console = new Console(OutputStream.nullOutputStream(), said, false, false);
        StartProcesses.Ended ended = StartProcesses.run(
                new ProcessGrid(1, ranks),
                Stream.of(programs)
                        .map(program -> new ProcessBuilder("sh", "-c", program))
                        .toList(),
                Duration.ofSeconds(5),
                console);
        console.flush();
        return ended;
    }

    private String said() {
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void oneThatIsKilledIsNamedAndEndsThoseThatWait() throws IOException {
        assertThat(run(3, "exec sleep 600", "kill -9 $$", "exec sleep 600"))
                .isEqualTo(new StartProcesses.Ended(9, true));
        assertThat(said()).isEqualTo("remat: rank 1 has ended before all ranks had found each other\n");
    }

    @Test
    void oneThatStopsByItselfHasSaidWhy() throws IOException {
        assertThat(run(2, "exec sleep 600", "exit 3")).isEqualTo(new StartProcesses.Ended(3, false));
        assertThat(said()).isEmpty();
    }

    @Test
    void whatIsTerminatedIsNotLost() throws IOException {
        assertThat(run(2, "exec sleep 600", "kill -TERM $$")).isEqualTo(new StartProcesses.Ended(143, false));
        assertThat(run(2, "exit 143")).isEqualTo(new StartProcesses.Ended(143, false));
        assertThat(said()).isEmpty();
    }

    @Test
    void whoComesToTheEndEndsNobody() throws IOException {
        assertThat(run(2, "sleep 1", "exit 0")).isEqualTo(new StartProcesses.Ended(0, false));
        assertThat(said()).isEmpty();
    }

    @Test
    void launcherThatEndsForOneIsExplained() throws IOException {
        assertThat(run(2, "exit 9")).isEqualTo(new StartProcesses.Ended(9, true));
        assertThat(said()).isEqualTo("remat: a rank has ended before all ranks had found each other\n");
        said.reset();
        assertThat(run(2, "exit 2")).isEqualTo(new StartProcesses.Ended(2, false));
        assertThat(said()).isEmpty();
    }
}
