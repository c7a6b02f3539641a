package dev.remat.runtime.check;

/**
 * A derivative along a line, and what differences of the loss say of it.
 *
 * @param analytic by the plan's gradient
 * @param left slope before the point, at the finest distance that tells something
 * @param right slope after the point
 */
public record SlopeJudgement(SlopeVerdict verdict, double analytic, double left, double right) {
    /** The central difference. */
    public double numeric() {
        return (left + right) / 2;
    }

    /** How far the central difference is away. */
    public double gap() {
        return Math.abs(analytic - numeric());
    }
}
