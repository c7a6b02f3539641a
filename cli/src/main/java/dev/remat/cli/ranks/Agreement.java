package dev.remat.cli.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.RanksDifferException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether all processes are about to do the same: the same remat, model, data and plan, by the same kernels. */
public final class Agreement {
    private Agreement() {}

    /**
     * Demands it.
     *
     * @param options what else decides what a rank does when, by name
     * @throws RanksDifferException naming what differs from the first rank, and where
     */
    public static void demand(
            ProcessGroup group, RunFacts facts, ExecutionPlan plan, SortedMap<String, String> options) {
        SortedMap<String, String> own = new TreeMap<>(options);
        facts.parts()
                .forEach((part, values) -> values.forEach(
                        (name, value) -> own.put(name.equals(part.label()) ? name : part.label() + " " + name, value)));
        own.put("plan", ExecutionPlanJson.hash(plan));
        List<SortedMap<String, String>> all =
                group.all(bytes(own)).stream().map(Agreement::read).toList();
        List<String> differing = differing(all, group.grid());
        if (differing.stream().anyMatch(each -> each.startsWith(Part.PLATFORM.label()))) {
            differing.add("--kernels common takes kernels that all processors have");
        }
        if (!differing.isEmpty()) {
            throw new RanksDifferException(differing);
        }
    }

    /**
     * What differs, and where. A library is one that a process's own kernels call, so that one stage may have none of
     * what another has.
     */
    static List<String> differing(List<? extends Map<String, String>> all, ProcessGrid grid) {
        List<String> differing = new ArrayList<>();
        SortedSet<String> names = new TreeSet<>();
        all.forEach(facts -> names.addAll(facts.keySet()));
        for (String name : names) {
            boolean mayLack = name.startsWith(Part.PLATFORM.label());
            int first = 0;
            while (!all.get(first).containsKey(name)) {
                first++;
            }
            String there = all.get(first).get(name);
            for (int rank = 0; rank < all.size(); rank++) {
                String here = all.get(rank).getOrDefault(name, mayLack ? there : "nothing");
                if (!here.equals(there)) {
                    differing.add(name + " is " + there + " on " + grid.name(first) + " and " + here + " on "
                            + grid.name(rank));
                }
            }
        }
        return differing;
    }

    private static byte[] bytes(SortedMap<String, String> facts) {
        List<String> lines = new ArrayList<>();
        facts.forEach((name, value) -> lines.add(name + "\0" + value));
        return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    }

    private static SortedMap<String, String> read(byte[] bytes) {
        SortedMap<String, String> facts = new TreeMap<>();
        new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .forEach(line ->
                        facts.put(line.substring(0, line.indexOf('\0')), line.substring(line.indexOf('\0') + 1)));
        return facts;
    }
}
