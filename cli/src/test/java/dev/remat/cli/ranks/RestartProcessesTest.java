package dev.remat.cli.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestartProcessesTest {
    @ParameterizedTest
    @CsvSource({"3, 8, 2", "3, 12, 3", "1, 8, 1", "0, 8, 1", "7, 7, 7", "6, 7, 1"})
    void takesTheMostRanksThatShareEvenly(int left, int microBatches, int ranks) {
        assertThat(RestartProcesses.fewer(left, microBatches)).isEqualTo(ranks);
    }
}
