package dev.remat.ir.plan;

import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a planner may know of one unit of work. Values are named by index: the results of all nodes counted through in
 * node order.
 *
 * @param cost time of one computation, in any unit
 * @param workspaceBytes scratch memory while it runs
 * @param inputs indices of the values it reads
 * @param recomputable whether it may run more than once
 * @param resident whether its results are in memory for the whole step (inputs, parameters, optimizer state); such a
 *     node has no inputs and is never a step
 * @param writes indices of resident values that it changes, each kept once; no later step may need their old content
 * @param offloadable whether its results may be stored below the device and fetched again
 * @param home index of the tier that holds a resident's values when the step begins and when it ends, or
 *     {@link #DEVICE}
 */
public record ProblemNode(
        String id,
        Role role,
        long cost,
        long workspaceBytes,
        List<Integer> inputs,
        List<ProblemValue> results,
        boolean recomputable,
        boolean resident,
        Pin pin,
        List<Integer> writes,
        boolean offloadable,
        int home) {
    /** Stands for the device where a tier is expected. */
    public static final int DEVICE = -1;

    public ProblemNode {
        inputs = List.copyOf(inputs);
        results = List.copyOf(results);
        writes = writes.stream().distinct().toList();
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a node needs an id");
        }
        if (cost < 0 || workspaceBytes < 0) {
            throw new IllegalArgumentException("cost and workspaceBytes of node '" + id + "' must not be negative");
        }
    }

    /** A recomputable node without cost, inputs, results and pins. */
    public static ProblemNode of(String id, Role role) {
        return new ProblemNode(id, role, 0, 0, List.of(), List.of(), true, false, Pin.NONE, List.of(), true, DEVICE);
    }

    /** An input or parameter: one value of the same id, always in memory. */
    public static ProblemNode resident(String id, long bytes) {
        return new ProblemNode(
                id,
                Role.FORWARD,
                0,
                0,
                List.of(),
                List.of(ProblemValue.of(id, bytes)),
                true,
                true,
                Pin.NONE,
                List.of(),
                true,
                DEVICE);
    }

    public ProblemNode withCost(long newCost) {
        return new ProblemNode(
                id,
                role,
                newCost,
                workspaceBytes,
                inputs,
                results,
                recomputable,
                resident,
                pin,
                writes,
                offloadable,
                home);
    }

    public ProblemNode withWorkspace(long bytes) {
        return new ProblemNode(
                id, role, cost, bytes, inputs, results, recomputable, resident, pin, writes, offloadable, home);
    }

    public ProblemNode withInputs(int... values) {
        return new ProblemNode(
                id,
                role,
                cost,
                workspaceBytes,
                boxed(values),
                results,
                recomputable,
                resident,
                pin,
                writes,
                offloadable,
                home);
    }

    /** With one more result. */
    public ProblemNode withResult(ProblemValue result) {
        List<ProblemValue> more = new ArrayList<>(results);
        more.add(result);
        return new ProblemNode(
                id, role, cost, workspaceBytes, inputs, more, recomputable, resident, pin, writes, offloadable, home);
    }

    public ProblemNode withResults(List<ProblemValue> others) {
        return new ProblemNode(
                id, role, cost, workspaceBytes, inputs, others, recomputable, resident, pin, writes, offloadable, home);
    }

    public ProblemNode withPin(Pin newPin) {
        return new ProblemNode(
                id,
                role,
                cost,
                workspaceBytes,
                inputs,
                results,
                recomputable,
                resident,
                newPin,
                writes,
                offloadable,
                home);
    }

    public ProblemNode withWrites(int... values) {
        return new ProblemNode(
                id,
                role,
                cost,
                workspaceBytes,
                inputs,
                results,
                recomputable,
                resident,
                pin,
                boxed(values),
                offloadable,
                home);
    }

    /** One whose results stay on the device as long as they are needed. */
    public ProblemNode notOffloadable() {
        return new ProblemNode(
                id, role, cost, workspaceBytes, inputs, results, recomputable, resident, pin, writes, false, home);
    }

    /** One whose values lie in a tier when the step begins and when it ends. */
    public ProblemNode withHome(int tier) {
        return new ProblemNode(
                id,
                role,
                cost,
                workspaceBytes,
                inputs,
                results,
                recomputable,
                resident,
                pin,
                writes,
                offloadable,
                tier);
    }

    /** Whether it must run exactly once: it says so, updates or writes state, or is resident. */
    boolean runsOnce() {
        return !recomputable || resident || role == Role.UPDATE || !writes.isEmpty();
    }

    /** A node that must run exactly once. */
    public ProblemNode once() {
        return new ProblemNode(
                id, role, cost, workspaceBytes, inputs, results, false, resident, pin, writes, offloadable, home);
    }

    /** The same where value {@code v} is called {@code renumbered[v]}. */
    ProblemNode withValuesRenumbered(int[] renumbered) {
        List<ProblemValue> named = results.stream()
                .map(result -> new ProblemValue(
                        result.id(),
                        result.bytes(),
                        renumber(result.viewOf(), renumbered),
                        renumber(result.inPlaceOf(), renumbered)))
                .toList();
        return new ProblemNode(
                id,
                role,
                cost,
                workspaceBytes,
                inputs.stream().map(v -> renumbered[v]).toList(),
                named,
                recomputable,
                resident,
                pin,
                writes.stream().map(v -> renumbered[v]).toList(),
                offloadable,
                home);
    }

    private static int renumber(int value, int[] renumbered) {
        return value == ProblemValue.NONE ? ProblemValue.NONE : renumbered[value];
    }

    private static List<Integer> boxed(int[] values) {
        return IntStream.of(values).boxed().toList();
    }
}
