package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.GapCover.Gap;
import java.util.Arrays;
import java.util.List;

/**
 * Looks for prices of a byte at each position at which {@link GapCover#bound} is high: the Lagrangian dual of the
 * covering problem, as strong as its linear relaxation.
 *
 * <p>Subgradient steps towards a level above the best bound so far, deflected so that successive steps do not undo each
 * other (Camerini, Fratta and Maffioli, 1975); where a level is not neared for a while, it is lowered. Floating point
 * is no harm: a bound holds whatever the prices.
 */
final class GapPrices {
    private static final double FIRST_LEVEL = 0.1;
    private static final double LAST_LEVEL = 1e-7;
    private static final int PATIENCE = 30;
    private static final double DEFLECTION = 1.5;

    private final int[] from;
    private final int[] to;
    /** In units of the largest gap. */
    private final double[] bytes;

    private final double[] cost;
    private final double[] room;
    /** Per position, and after the last: prices before it together. */
    private final double[] before;

    private final double[] prices;
    private final double[] slope;
    private final double[] direction;

    private GapPrices(GapCover cover) {
        List<Gap> gaps = cover.gaps();
        from = gaps.stream().mapToInt(Gap::from).toArray();
        to = gaps.stream().mapToInt(Gap::to).toArray();
        double unit = cover.unit();
        bytes = gaps.stream().mapToDouble(gap -> gap.bytes() / unit).toArray();
        cost = gaps.stream().mapToDouble(Gap::cost).toArray();
        room = Arrays.stream(cover.room()).mapToDouble(free -> free / unit).toArray();
        before = new double[room.length + 1];
        prices = new double[room.length];
        slope = new double[room.length];
        direction = new double[room.length];
    }

    /** Prices as {@link GapCover#bound} takes them, found in at most so many passes over all gaps. */
    static double[] find(GapCover cover, int passes, SearchListener listener) {
        return new GapPrices(cover).search(passes, listener);
    }

    private double[] search(int passes, SearchListener listener) {
        double all = Arrays.stream(cost).sum();
        double level = FIRST_LEVEL * all;
        double value = evaluate();
        double[] best = prices.clone();
        double bestValue = value;
        double reached = value;
        int waited = 0;
        for (int i = 0; i < passes && level > LAST_LEVEL * all && !listener.expired(); i++) {
            double length = turn();
            if (length == 0) {
                break;
            }
            double step = (bestValue + level - value) / length;
            for (int p = 0; p < prices.length; p++) {
                prices[p] = Math.max(0, prices[p] + step * direction[p]);
            }
            value = evaluate();
            waited++;
            if (value > bestValue) {
                System.arraycopy(prices, 0, best, 0, best.length);
                bestValue = value;
            }
            if (bestValue > reached + level / 2) {
                reached = bestValue;
                waited = 0;
            } else if (waited > PATIENCE) {
                level /= 2;
                reached = bestValue;
                waited = 0;
                System.arraycopy(best, 0, prices, 0, best.length);
                value = evaluate();
                Arrays.fill(direction, 0);
            }
        }
        return best;
    }

    /** Sets the direction from the slope and the direction before; returns the square of its length. */
    private double turn() {
        double against = 0;
        double length = 0;
        for (int p = 0; p < slope.length; p++) {
            against += slope[p] * direction[p];
            length += direction[p] * direction[p];
        }
        double share = against < 0 ? DEFLECTION * against / length : 0;
        double turned = 0;
        for (int p = 0; p < slope.length; p++) {
            double d = slope[p] - share * direction[p];
            direction[p] = prices[p] <= 0 && d < 0 ? 0 : d;
            turned += direction[p] * direction[p];
        }
        return turned;
    }

    /** The bound at the prices; leaves the slope: bytes kept beyond the room. */
    private double evaluate() {
        double value = 0;
        for (int p = 0; p < prices.length; p++) {
            before[p + 1] = before[p] + prices[p];
            value -= prices[p] * room[p];
        }
        Arrays.fill(slope, 0);
        for (int g = 0; g < cost.length; g++) {
            double rent = bytes[g] * (before[to[g]] - before[from[g]]);
            value += Math.min(rent, cost[g]);
            if (rent <= cost[g]) {
                slope[from[g]] += bytes[g];
                if (to[g] < slope.length) {
                    slope[to[g]] -= bytes[g];
                }
            }
        }
        double kept = 0;
        for (int p = 0; p < slope.length; p++) {
            kept += slope[p];
            slope[p] = kept - room[p];
        }
        return value;
    }
}
