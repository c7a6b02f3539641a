package dev.remat.compiler.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The numbers of micro-batches that share rows evenly. */
public final class Divisors {
    private Divisors() {}

    /**
     * In ascending order.
     *
     * @param rows at least 1
     */
    public static List<Long> of(long rows) {
        List<Long> low = new ArrayList<>();
        Deque<Long> high = new ArrayDeque<>();
        for (long d = 1; d <= rows / d; d++) {
            if (rows % d == 0) {
                low.add(d);
                if (d != rows / d) {
                    high.push(rows / d);
                }
            }
        }
        low.addAll(high);
        return low;
    }
}
