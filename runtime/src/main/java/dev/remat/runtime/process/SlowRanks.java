package dev.remat.runtime.process;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds who computes for longer than the others of its stage, which then wait for it at every exchange: a machine that
 * is throttled, or shared with other work.
 */
final class SlowRanks {
    /** Steps that are compared at a time; the first of a run are not. */
    private static final int STEPS = 20;

    private static final double LONGER = 1.25;
    /** What short steps differ by tells nothing. */
    private static final double LEAST_MICROS = 1000;

    /**
     * What a process has done.
     *
     * @param step the last that is done
     * @param micros that it has computed for in all, waiting left out
     */
    record Work(long step, long micros) {
        static final Work NONE = new Work(0, 0);
    }

    private final ProcessGrid grid;
    private final Set<Integer> said = new HashSet<>();
    private Map<Integer, Work> before = Map.of();

    SlowRanks(ProcessGrid grid) {
        this.grid = grid;
    }

    /** Hears what all processes have done, and says who is slow, of each process once. */
    Optional<String> hear(SortedMap<Integer, Work> now) {
        if (!before.keySet().equals(now.keySet()) || before.values().stream().anyMatch(work -> work.step() == 0)) {
            before = Map.copyOf(now);
            return Optional.empty();
        }
        if (now.entrySet().stream()
                .anyMatch(each ->
                        each.getValue().step() - before.get(each.getKey()).step() < STEPS)) {
            return Optional.empty();
        }
        SortedMap<Integer, Double> perStep = new TreeMap<>();
        now.forEach((process, work) -> {
            Work past = before.get(process);
            perStep.put(process, (work.micros() - past.micros()) / (double) (work.step() - past.step()));
        });
        before = Map.copyOf(now);
        return perStep.keySet().stream()
                .filter(process -> ofOthers(perStep, process) > 0)
                .max(Comparator.comparingDouble(process -> perStep.get(process) / ofOthers(perStep, process)))
                .flatMap(slowest -> told(slowest, perStep.get(slowest), ofOthers(perStep, slowest)));
    }

    private Optional<String> told(int slowest, double own, double others) {
        if (own < LONGER * others || own - others < LEAST_MICROS || !said.add(slowest)) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "%s computes for %.1f ms a step, %.0f %% longer than %s, which wait%s for it",
                grid.name(slowest),
                own / 1e3,
                100 * (own / others - 1),
                grid.ranks() == 2 ? grid.name(grid.process(grid.stage(slowest), 1 - grid.rank(slowest))) : "others",
                grid.ranks() == 2 ? "s" : ""));
    }

    /** The median of the others of the stage; 0 where there are none. */
    private double ofOthers(SortedMap<Integer, Double> perStep, int process) {
        List<Double> others = perStep.entrySet().stream()
                .filter(each -> each.getKey() != process && grid.stage(each.getKey()) == grid.stage(process))
                .map(Map.Entry::getValue)
                .sorted()
                .toList();
        return others.isEmpty() ? 0 : others.get((others.size() - 1) / 2);
    }
}
