package dev.remat.cli.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.RanksDifferException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

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
        List<byte[]> all = group.all(bytes(own));
        List<String> differing = new ArrayList<>();
        SortedMap<String, String> first = read(all.getFirst());
        for (int rank = 1; rank < all.size(); rank++) {
            SortedMap<String, String> other = read(all.get(rank));
            for (String name : first.keySet()) {
                String here = other.getOrDefault(name, "nothing");
                if (!here.equals(first.get(name))) {
                    differing.add(name + " is " + first.get(name) + " on "
                            + group.grid().name(0) + " and " + here + " on "
                            + group.grid().name(rank));
                }
            }
        }
        if (differing.stream().anyMatch(each -> each.startsWith(Part.PLATFORM.label()))) {
            differing.add("--kernels common takes kernels that all processors have");
        }
        if (!differing.isEmpty()) {
            throw new RanksDifferException(differing);
        }
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
