package dev.remat.runtime.profile;

import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.List;

/**
 * The link that explains best how long exchanges took: that of the least sum of relative deviations. A line that has it
 * goes through two of the points, or through one and the origin, so that all of these are tried. What went wrong at one
 * size, where an engine changes its ways, then moves no other.
 */
public final class FitLink {
    private static final double NANOS = 1e9;

    /**
     * How long an exchange took.
     *
     * @param bytes that each rank sends in it
     */
    public record Point(long bytes, double nanos) {
        public Point {
            if (bytes < 1 || !(nanos > 0)) {
                throw new IllegalArgumentException(bytes + " bytes in " + nanos + " ns");
            }
        }

        /** By how much it takes longer than a link says, or less, as a part of what it takes. */
        public double deviation(int ranks, Link link) {
            return Math.abs(link.nanos(ranks, bytes) - nanos) / nanos;
        }
    }

    private FitLink() {}

    /**
     * Fits.
     *
     * @param points of at least two sizes
     * @throws IllegalArgumentException if no line through any of them grows with the bytes
     */
    public static Link run(int ranks, List<Point> points) {
        List<Link> lines = new ArrayList<>();
        for (Point first : points) {
            add(ranks, 0, first.nanos() / first.bytes(), lines);
            for (Point second : points) {
                if (second.bytes() > first.bytes()) {
                    double slope = (second.nanos() - first.nanos()) / (second.bytes() - first.bytes());
                    add(ranks, first.nanos() - slope * first.bytes(), slope, lines);
                }
            }
        }
        Link best = null;
        double least = Double.POSITIVE_INFINITY;
        for (Link line : lines) {
            double deviations = 0;
            for (Point point : points) {
                deviations += point.deviation(ranks, line);
            }
            if (deviations < least) {
                least = deviations;
                best = line;
            }
        }
        if (best == null) {
            throw new IllegalArgumentException("nothing was measured");
        }
        return best;
    }

    /** @param begin of an exchange of no bytes, in nanoseconds */
    private static void add(int ranks, double begin, double nanosPerByte, List<Link> lines) {
        if (begin >= 0 && nanosPerByte > 0) {
            lines.add(new Link(Math.max(1, Math.round(NANOS / nanosPerByte)), Math.round(begin / (ranks - 1))));
        }
    }
}
