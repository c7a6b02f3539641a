package dev.remat.cli.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportPageTest {
    @Test
    void shortRunsKeepEveryPoint() {
        assertThat(ReportPage.points(List.of(3.0, Double.NaN, 1.0), 3)).containsExactly(0, 1, 2);
    }

    @Test
    void ofLongRunsWhatIsSeenStays() {
        List<Double> values = Stream.concat(
                        IntStream.range(0, 5000).mapToObj(i -> Math.sin(i / 500.0)),
                        IntStream.range(0, 5000).mapToObj(_ -> 0.0))
                .toList();
        Double[] spiked = values.toArray(Double[]::new);
        spiked[1234] = 100.0;
        spiked[4321] = -100.0;
        spiked[7777] = Double.NaN;
        int[] points = ReportPage.points(Arrays.asList(spiked), 1000);
        assertThat(points.length).isBetween(200, 1000);
        assertThat(points).isSorted().doesNotHaveDuplicates().contains(0, 1234, 4321, 7777, 9999);
    }
}
