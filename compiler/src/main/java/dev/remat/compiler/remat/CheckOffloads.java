package dev.remat.compiler.remat;

import dev.remat.compiler.plan.evaluate.OffloadPins;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValuePin;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Refuses an {@code offload} by which nothing would move: a user who writes one counts on the memory. */
public final class CheckOffloads {
    private static final String CODE = "E0406";

    private CheckOffloads() {}

    /**
     * @param planning a step before anything is moved
     * @throws ModelException if a pin would move nothing
     */
    static void run(PlanningProblem planning, Below below) {
        RematProblem problem = planning.problem();
        Graph graph = planning.fused().graph();
        OffloadPins pins = OffloadPins.of(problem);
        // A pin in a repeated block stands for many values, and is told of once.
        Map<Location, Diagnostic> errors = new LinkedHashMap<>();
        long pinned = 0;
        for (Value value : graph.values()) {
            if (value.pin().filter(pin -> pin.kind() == ValuePin.Kind.OFFLOAD).isEmpty()) {
                continue;
            }
            ValueId base = planning.fused().layouts().get(value.id()).base();
            int v = planning.values().indexOf(base);
            if (v < 0 || problem.pin(problem.producer(v)) != Pin.OFFLOAD) {
                continue;
            }
            Location at = value.pin().get().location();
            pinned += problem.bytes(v);
            String name = "'" + value.name() + "'";
            if (below.isNothing() || !below.movable().includes(problem.node(problem.producer(v)))) {
                errors.putIfAbsent(
                        at,
                        Diagnostic.error(
                                CODE,
                                at,
                                name + " cannot leave the arena: "
                                        + (below.tiers().isEmpty()
                                                ? "no memory lies below it"
                                                : "--offload " + below.movable() + " keeps it there"),
                                below.tiers().isEmpty()
                                        ? "--disk DIR names a folder for it; or remove the 'offload'"
                                        : "leave --offload away, or remove the 'offload'"));
            } else if (!pins.leaves(v)) {
                errors.putIfAbsent(
                        at,
                        Diagnostic.error(
                                CODE,
                                at,
                                name + " would not leave the arena: "
                                        + (problem.output(v)
                                                ? "it is an output of the step"
                                                : "nothing runs between its last use and the backward pass's first"),
                                "remove the 'offload'"));
            } else if (pinned > largest(below)) {
                errors.putIfAbsent(
                        at,
                        Diagnostic.error(
                                CODE,
                                at,
                                name + " has no room below the arena: with it, " + Count.bytes(pinned)
                                        + " are to be offloaded, and there is room for " + Count.bytes(largest(below)),
                                "a larger --disk-budget or --host-budget, or fewer pins, may help"));
            }
        }
        if (!errors.isEmpty()) {
            throw new ModelException(List.copyOf(errors.values()));
        }
    }

    private static long largest(Below below) {
        return below.tiers().stream().mapToLong(Tier::bytes).max().orElse(0);
    }
}
