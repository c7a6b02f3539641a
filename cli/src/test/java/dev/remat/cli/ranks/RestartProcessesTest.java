package dev.remat.cli.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.TypedWords;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestartProcessesTest {
    @ParameterizedTest
    @CsvSource({"3, 8, 2", "3, 12, 3", "1, 8, 1", "0, 8, 1", "7, 7, 7", "6, 7, 1"})
    void takesTheMostRanksThatShareEvenly(int left, int microBatches, int ranks) {
        assertThat(RestartProcesses.fewer(left, microBatches)).isEqualTo(ranks);
    }

    @Test
    void asksForFewerRanksAndAsManyMicroBatches() {
        TypedWords typed = new TypedWords(List.of(
                "train",
                "m.model",
                "--ranks",
                "4",
                "--processes",
                "--restarts=3",
                "--shard",
                "none",
                "--timeout",
                "9"));
        assertThat(RestartProcesses.onRanks(2, 1, 8, typed).text())
                .isEqualTo("train m.model --processes --restarts=3 --shard none --timeout 9 --ranks 2"
                        + " --micro-batches 8");
        assertThat(RestartProcesses.onRanks(1, 1, 8, typed).text())
                .isEqualTo("train m.model --timeout 9 --ranks 1 --micro-batches 8");
        assertThat(RestartProcesses.onRanks(1, 2, 8, typed).text())
                .as("stages are processes, too")
                .isEqualTo("train m.model --processes --restarts=3 --timeout 9 --ranks 1 --micro-batches 8");
    }
}
