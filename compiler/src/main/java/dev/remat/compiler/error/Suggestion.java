package dev.remat.compiler.error;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that was probably meant (Damerau 1964, Levenshtein 1966: optimal string alignment distance). */
public final class Suggestion {
    private Suggestion() {}

    /** "did you mean 'linear'?" for the closest candidate within a third of the name's length, if there is one. */
    public static Optional<String> note(String name, Collection<String> candidates) {
        return closest(name, candidates).map(candidate -> "did you mean '" + candidate + "'?");
    }

    /** The closest candidate, the first of several equally close; letter case does not count. */
    public static Optional<String> closest(String name, Collection<String> candidates) {
        int best = 1 + (name.length() < 3 ? 0 : Math.max(1, name.length() / 3));
        String closest = null;
        for (String candidate : candidates) {
            if (Math.abs(candidate.length() - name.length()) >= best) {
                continue;
            }
            int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < best) {
                best = distance;
                closest = candidate;
            }
        }
        return Optional.ofNullable(closest);
    }

    private static int distance(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                int least = Math.min(cost[i - 1][j - 1] + change, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
            }
        }
        return cost[from.length()][to.length()];
    }
}
