package dev.remat.compiler.plan.portfolio;

import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.block.Hierarchy;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.PipeMode;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.exact.ConstraintSolver;
import dev.remat.compiler.plan.exact.IntervalCp;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.compiler.plan.segment.ChenBudget;
import dev.remat.compiler.plan.segment.MinCut;
import dev.remat.compiler.plan.segment.Recursive;
import dev.remat.compiler.plan.segment.Revolve;
import dev.remat.compiler.plan.segment.Segments;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.natives.NativeLibraries;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** The strategies that a user can name. */
public final class Strategies {
    private static final String COUNT = "[1-9][0-9]{0,8}";
    private static final Planner LOCAL = new Anneal();
    private static final Planner EXACT = new IntervalCp();
    private static final List<Planner> STRONGEST = List.of(new Hierarchy(), new PeakPriority());
    private static final List<Planner> QUICKEST = List.of(new Sqrt(), new PeakPriority());
    private static final List<Planner> SEEDS = Stream.concat(
                    Stream.of(
                            new KeepAll(), new Sqrt(), new ChenBudget(), new Recursive(), new Revolve(), new MinCut()),
                    STRONGEST.stream())
            .toList();
    private static final List<Planner> ALL =
            Stream.concat(SEEDS.stream(), Stream.of(LOCAL)).toList();
    /** Those that move values to tiers; on the device alone they recompute nothing, or as little as they can. */
    private static final List<Planner> MOVING = JointPortfolio.strategies();

    /** By name, what has gone since {@code auto} found the same without it, with the nearest that stays. */
    private static final SequencedMap<String, String> GONE = new LinkedHashMap<>();

    static {
        GONE.put("speed", "min-cut");
        GONE.put("memory", "sqrt");
        GONE.put("collection", "recursive");
        GONE.put("lower-sets", "hierarchy");
        GONE.put("chain-dp", "hierarchy");
        GONE.put("shards", "offload");
    }

    private static final Planner AUTO = new Auto(SEEDS, STRONGEST, QUICKEST, LOCAL);

    private Strategies() {}

    /** Every single strategy that works on any machine and takes no number, in the order in which lists show them. */
    public static List<Planner> all() {
        return ALL;
    }

    /** Those to ask about a large problem where there is no time for all, the best first. */
    public static List<Planner> strongest() {
        return STRONGEST;
    }

    /** Every strategy that moves values where there are tiers, likewise. */
    public static List<Planner> moving() {
        return MOVING;
    }

    /** GPipe's, for stages, that which takes most memory first. */
    public static List<Planner> ofPipes() {
        return List.copyOf(PipeMode.ALL);
    }

    /** What to take where the user names no strategy. */
    public static Planner auto() {
        return AUTO;
    }

    /** What searches load, when one needs it. */
    public static NativeLibraries libraries() {
        return ConstraintSolver.libraries();
    }

    /** What a search of this process would have used and could not load, for people; empty where all was there. */
    public static Optional<String> lacked() {
        return libraries().areLacking() ? Optional.of(libraries().name()) : Optional.empty();
    }

    /** As users write them; {@code segments=K} stands for strategies with a number of their own. */
    public static List<String> names() {
        return Stream.of(
                        ALL.stream().map(Planner::name),
                        Stream.of(EXACT.name(), Segments.PREFIX + "K"),
                        MOVING.stream().map(Planner::name),
                        PipeMode.ALL.stream().map(Planner::name),
                        Stream.of(AUTO.name()))
                .flatMap(names -> names)
                .toList();
    }

    /**
     * The strategy of that name.
     *
     * @throws IllegalArgumentException if there is none, in which case the message lists them and suggests the nearest
     */
    public static Planner named(String name) {
        if (name.equals(AUTO.name())) {
            return AUTO;
        }
        if (name.equals(EXACT.name())) {
            return EXACT;
        }
        for (Planner planner :
                Stream.of(ALL, MOVING, PipeMode.ALL).flatMap(List::stream).toList()) {
            if (planner.name().equals(name)) {
                return planner;
            }
        }
        if (name.matches(Segments.PREFIX + COUNT)) {
            return new Segments(Integer.parseInt(name.substring(Segments.PREFIX.length())));
        }
        String gone = GONE.get(name.replaceFirst("=.*", ""));
        if (gone != null) {
            throw new IllegalArgumentException("there is no strategy '" + name + "' any more; the nearest is '" + gone
                    + "', and 'auto' finds as much without it");
        }
        String nearest = Suggestion.note(name, names()).map(note -> "; " + note).orElse("");
        throw new IllegalArgumentException(
                "unknown strategy '" + name + "'" + nearest + " (strategies: " + String.join(", ", names()) + ")");
    }
}
