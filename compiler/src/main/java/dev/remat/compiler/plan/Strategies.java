package dev.remat.compiler.plan;

import java.util.List;

/** The strategies that a user can name. */
public final class Strategies {
    private static final List<Planner> ALL = List.of(new KeepAll(), new Sqrt());

    private Strategies() {}

    /** Every strategy, in the order in which lists show them. */
    public static List<Planner> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(Planner::name).toList();
    }

    /**
     * The strategy of that name.
     *
     * @throws IllegalArgumentException if there is none; the message lists them and suggests the nearest
     */
    public static Planner named(String name) {
        for (Planner planner : ALL) {
            if (planner.name().equals(name)) {
                return planner;
            }
        }
        String nearest = "";
        int best = 1 + name.length() / 3;
        for (String known : names()) {
            int distance = editDistance(name, known);
            if (distance <= best) {
                best = distance - 1;
                nearest = "; did you mean '" + known + "'?";
            }
        }
        throw new IllegalArgumentException(
                "unknown strategy '" + name + "'" + nearest + " (strategies: " + String.join(", ", names()) + ")");
    }

    private static int editDistance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
