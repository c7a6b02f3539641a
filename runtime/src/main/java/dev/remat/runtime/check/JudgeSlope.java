package dev.remat.runtime.check;

import java.util.function.DoubleUnaryOperator;

/**
 * Holds a derivative against differences of a loss along a line, and tells a loss that bends from a derivative that is
 * wrong: a bend away from the point is left behind by smaller steps, and a bend at the point has two slopes at every
 * distance. What rounding of the loss does to differences is estimated, and nothing is concluded from less.
 */
final class JudgeSlope {
    /** Where smooth losses agree. */
    private static final double DISTANCE = 1e-5;
    /** Where others are looked at. */
    private static final double[] DISTANCES = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

    private static final double RELATIVE_TOLERANCE = 1e-6;
    /** So many units in the last place of a loss are always taken for rounding. */
    private static final double LEAST_ULPS = 64;
    /** Distances at which a loss that is not rounded would stay as it is. */
    private static final double NOISE_DISTANCE = 1e-15;

    private static final int NOISE_PROBES = 3;
    /** How much larger than its uncertainty a difference must be to be believed. */
    private static final double CLEARLY = 10;

    private final double analytic;
    private final DoubleUnaryOperator loss;
    private final double here;
    private double rounding;

    private JudgeSlope(double analytic, DoubleUnaryOperator loss) {
        this.analytic = analytic;
        this.loss = loss;
        this.here = loss.applyAsDouble(0);
        this.rounding = LEAST_ULPS * Math.ulp(here);
    }

    /** Differences at one distance, and how far they may be wrong for rounding. */
    private record Slopes(double left, double right, double tolerance) {
        double central() {
            return (left + right) / 2;
        }

        double spread() {
            return Math.abs(right - left);
        }

        boolean isFinite() {
            return Double.isFinite(left) && Double.isFinite(right);
        }
    }

    /** @param loss by the distance from the point, the same at every call */
    static SlopeJudgement run(double analytic, DoubleUnaryOperator loss) {
        return new JudgeSlope(analytic, loss).run();
    }

    private SlopeJudgement run() {
        Slopes first = at(DISTANCE);
        if (!first.isFinite()) {
            return judged(SlopeVerdict.UNDECIDED, first);
        }
        if (!Double.isFinite(analytic)) {
            return judged(SlopeVerdict.FAULT, first);
        }
        if (agrees(first)) {
            return judged(SlopeVerdict.AGREES, first);
        }
        double gap = Math.abs(analytic - first.central());
        probeRounding();
        Slopes before = at(DISTANCES[0]);
        Slopes finest = before;
        for (int i = 1; i < DISTANCES.length; i++) {
            Slopes next = at(DISTANCES[i]);
            if (!next.isFinite() || CLEARLY * next.tolerance() > gap) {
                break;
            }
            if (agrees(next)) {
                return judged(SlopeVerdict.AGREES, next);
            }
            before = finest;
            finest = next;
        }
        return judged(verdict(before, finest), finest);
    }

    /** @param before at a larger distance; the same where there is none that tells anything */
    private SlopeVerdict verdict(Slopes before, Slopes finest) {
        boolean apart = Math.abs(analytic - finest.central()) > CLEARLY * finest.tolerance();
        if (!apart || before.equals(finest)) {
            return SlopeVerdict.UNDECIDED;
        }
        // The slopes of a smooth loss approach each other as fast as the distance shrinks.
        boolean bends = finest.spread() > CLEARLY * finest.tolerance() && finest.spread() > before.spread() / 2;
        if (!bends) {
            return Math.abs(analytic - finest.central()) > finest.spread()
                    ? SlopeVerdict.FAULT
                    : SlopeVerdict.UNDECIDED;
        }
        double low = Math.min(finest.left(), finest.right()) - finest.tolerance();
        double high = Math.max(finest.left(), finest.right()) + finest.tolerance();
        return analytic >= low && analytic <= high ? SlopeVerdict.KINK : SlopeVerdict.FAULT;
    }

    private boolean agrees(Slopes slopes) {
        return Math.abs(analytic - slopes.central()) <= slopes.tolerance();
    }

    private Slopes at(double distance) {
        double left = (here - loss.applyAsDouble(-distance)) / distance;
        double right = (loss.applyAsDouble(distance) - here) / distance;
        double slope = Math.max(Math.abs(analytic), Math.abs((left + right) / 2));
        return new Slopes(left, right, RELATIVE_TOLERANCE * slope + rounding / distance);
    }

    private void probeRounding() {
        for (int i = 1; i <= NOISE_PROBES; i++) {
            double moved = loss.applyAsDouble(i * NOISE_DISTANCE);
            rounding = Math.max(rounding, 8 * Math.abs(moved - here));
        }
    }

    private SlopeJudgement judged(SlopeVerdict verdict, Slopes slopes) {
        return new SlopeJudgement(verdict, analytic, slopes.left(), slopes.right());
    }
}
