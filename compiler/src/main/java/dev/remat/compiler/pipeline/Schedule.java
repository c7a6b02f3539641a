package dev.remat.compiler.pipeline;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * In which order each stage takes micro-batches through its parts of the model. Sums over micro-batches are added up in
 * the order of these by any schedule, so that it changes no bits.
 *
 * @param kind by what rule
 * @param partsEach how many parts of the model a stage has; part {@code p} is on stage {@code p mod stages}
 */
public record Schedule(Kind kind, int partsEach) {
    /** The rules. */
    public enum Kind {
        /** All forward, then all backward (Huang et al., 2019). */
        GPIPE("gpipe"),
        /** Backward as soon as there is one, forward only as far ahead as stages follow (Narayanan et al., 2019). */
        ONE_F_ONE_B("1f1b"),
        /** The same with several parts a stage (Narayanan et al., 2021). */
        INTERLEAVED("interleaved"),
        /** Gradients of parameters wait for gaps (Qi et al., 2024: ZB-H1). */
        ZERO_BUBBLE("zb");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    public static final Schedule GPIPE = new Schedule(Kind.GPIPE, 1);
    public static final Schedule ONE_F_ONE_B = new Schedule(Kind.ONE_F_ONE_B, 1);
    public static final Schedule ZERO_BUBBLE = new Schedule(Kind.ZERO_BUBBLE, 1);

    public Schedule {
        boolean several = kind == Kind.INTERLEAVED;
        if (several ? partsEach < 2 : partsEach != 1) {
            throw new IllegalArgumentException(kind + " with " + partsEach + " parts a stage");
        }
    }

    /** With at least two parts a stage. */
    public static Schedule interleaved(int partsEach) {
        return new Schedule(Kind.INTERLEAVED, partsEach);
    }

    /** As users write it: {@code gpipe}, {@code 1f1b}, {@code zb}, {@code interleaved=2}; empty where it is none. */
    public static Optional<Schedule> parse(String text) {
        String[] parts = text.split("=", -1);
        if (parts.length == 2 && parts[0].equals(Kind.INTERLEAVED.label) && parts[1].matches("[2-9]|[1-9][0-9]")) {
            return Optional.of(interleaved(Integer.parseInt(parts[1])));
        }
        return List.of(GPIPE, ONE_F_ONE_B, ZERO_BUBBLE).stream()
                .filter(schedule -> schedule.toString().equals(text))
                .findFirst();
    }

    /** Whether gradients of parameters are visits of their own. */
    public boolean splitsBackward() {
        return kind == Kind.ZERO_BUBBLE;
    }

    /**
     * What each stage does, by stage.
     *
     * @param stages at least 1
     * @param microBatches at least 1
     */
    public List<List<Visit>> orders(int stages, int microBatches) {
        return switch (kind) {
            case GPIPE -> each(stages, stage -> allForwardFirst(stage, microBatches));
            case ONE_F_ONE_B -> each(stages, stage -> inTurns(stage, stages - stage - 1, microBatches));
            case INTERLEAVED -> each(stages, stage -> interleaved(stage, stages, microBatches));
            case ZERO_BUBBLE -> ZeroBubble.orders(stages, microBatches);
        };
    }

    private static List<List<Visit>> each(int stages, IntFunction<List<Visit>> order) {
        return IntStream.range(0, stages).mapToObj(order).toList();
    }

    private static List<Visit> allForwardFirst(int stage, int microBatches) {
        List<Visit> order = new ArrayList<>();
        for (Phase phase : List.of(Phase.FORWARD, Phase.BACKWARD)) {
            for (int microBatch = 0; microBatch < microBatches; microBatch++) {
                order.add(new Visit(stage, phase, microBatch));
            }
        }
        return order;
    }

    private static List<Visit> inTurns(int stage, int ahead, int microBatches) {
        List<Visit> order = new ArrayList<>();
        for (int turn = 0; turn < microBatches + ahead; turn++) {
            if (turn < microBatches) {
                order.add(new Visit(stage, Phase.FORWARD, turn));
            }
            if (turn >= ahead) {
                order.add(new Visit(stage, Phase.BACKWARD, turn - ahead));
            }
        }
        return order;
    }

    /** Micro-batches go through parts in groups of as many as there are stages; the last may lack some. */
    private List<Visit> interleaved(int stage, int stages, int microBatches) {
        int whole = Math.ceilDiv(microBatches, stages) * stages;
        int all = whole * partsEach;
        int ahead = whole == stages ? all : Math.min(all, 2 * (stages - stage - 1) + (partsEach - 1) * stages);
        List<Visit> order = new ArrayList<>();
        for (int turn = 0; turn < all + ahead; turn++) {
            if (turn < all) {
                order.add(visit(stage, stages, Phase.FORWARD, turn));
            }
            if (turn >= ahead) {
                order.add(visit(stage, stages, Phase.BACKWARD, turn - ahead));
            }
        }
        return order.stream().filter(visit -> visit.microBatch() < microBatches).toList();
    }

    private Visit visit(int stage, int stages, Phase phase, int turn) {
        int group = turn / (stages * partsEach);
        int within = turn % (stages * partsEach);
        int chunk = within / stages;
        int own = phase == Phase.FORWARD ? chunk : partsEach - 1 - chunk;
        return new Visit(own * stages + stage, phase, group * stages + within % stages);
    }

    @Override
    public String toString() {
        return kind.label + (kind == Kind.INTERLEAVED ? "=" + partsEach : "");
    }
}
