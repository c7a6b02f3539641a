package dev.remat.runtime.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.target.Link;
import dev.remat.runtime.profile.FitLink.Point;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FitLinkTest {
    private static final int RANKS = 3;
    /** Two messages one behind the other, and a nanosecond for each two bytes. */
    private static final Link LINK = new Link(2_000_000_000, 100);

    private static List<Point> points() {
        List<Point> points = new ArrayList<>();
        for (long bytes : new long[] {8, 1000, 100_000, 10_000_000}) {
            points.add(new Point(bytes, 2 * 100 + bytes / 2.0));
        }
        return points;
    }

    @Test
    void findsTheLinkThatPointsAreOf() {
        assertThat(FitLink.run(RANKS, points())).isEqualTo(LINK);
    }

    @Test
    void aSizeThatGoesWrongMovesNothing() {
        List<Point> points = points();
        points.add(new Point(50_000, 1e9));
        assertThat(FitLink.run(RANKS, points)).isEqualTo(LINK);
        assertThat(points.getLast().deviation(RANKS, LINK)).isCloseTo(1 - 25_200 / 1e9, within(1e-12));
    }

    /** The line through both would take less than no time for nothing. */
    @Test
    void noMessageTakesLessThanNothing() {
        Link link = FitLink.run(2, List.of(new Point(100, 10), new Point(1000, 1000)));
        assertThat(link.latencyNanos()).isZero();
        assertThat(link.bytesPerSecond())
                .as("ten times too fast is less wrong than ten times too slow")
                .isEqualTo(10_000_000_000L);
    }

    /** A larger one that takes less time says nothing of what bytes take. */
    @Test
    void timesThatFallAreNoLine() {
        Link link = FitLink.run(2, List.of(new Point(10, 100), new Point(1000, 50)));
        assertThat(link).isEqualTo(new Link(20_000_000_000L, 0));
    }
}
