package dev.remat.compiler.plan;

import dev.remat.compiler.error.Suggestion;
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
        String nearest = Suggestion.note(name, names()).map(note -> "; " + note).orElse("");
        throw new IllegalArgumentException(
                "unknown strategy '" + name + "'" + nearest + " (strategies: " + String.join(", ", names()) + ")");
    }
}
