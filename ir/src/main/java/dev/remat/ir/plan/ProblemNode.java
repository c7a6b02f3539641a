package dev.remat.ir.plan;

import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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
 * @param inTurn whether it first runs behind those before it that are in turn, whatever it reads
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
        int home,
        boolean inTurn) {
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
        return new ProblemNode(
                id, role, 0, 0, List.of(), List.of(), true, false, Pin.NONE, List.of(), true, DEVICE, false);
    }

    /** An input or parameter: one value of the same id, always in memory. */
    public static ProblemNode resident(String id, long bytes) {
        return of(id, Role.FORWARD).withResult(ProblemValue.of(id, bytes)).but(fields -> fields.resident = true);
    }

    /** The fields of a node while they change. */
    private static final class Fields {
        private final String id;
        private final Role role;
        private long cost;
        private long workspaceBytes;
        private List<Integer> inputs;
        private List<ProblemValue> results;
        private boolean recomputable;
        private boolean resident;
        private Pin pin;
        private List<Integer> writes;
        private boolean offloadable;
        private int home;
        private boolean inTurn;

        private Fields(ProblemNode node) {
            id = node.id;
            role = node.role;
            cost = node.cost;
            workspaceBytes = node.workspaceBytes;
            inputs = node.inputs;
            results = node.results;
            recomputable = node.recomputable;
            resident = node.resident;
            pin = node.pin;
            writes = node.writes;
            offloadable = node.offloadable;
            home = node.home;
            inTurn = node.inTurn;
        }

        private ProblemNode build() {
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
                    home,
                    inTurn);
        }
    }

    private ProblemNode but(Consumer<Fields> change) {
        Fields fields = new Fields(this);
        change.accept(fields);
        return fields.build();
    }

    public ProblemNode withCost(long newCost) {
        return but(fields -> fields.cost = newCost);
    }

    public ProblemNode withWorkspace(long bytes) {
        return but(fields -> fields.workspaceBytes = bytes);
    }

    public ProblemNode withInputs(int... values) {
        return but(fields -> fields.inputs = boxed(values));
    }

    /** With one more result. */
    public ProblemNode withResult(ProblemValue result) {
        List<ProblemValue> more = new ArrayList<>(results);
        more.add(result);
        return withResults(more);
    }

    public ProblemNode withResults(List<ProblemValue> others) {
        return but(fields -> fields.results = others);
    }

    public ProblemNode withPin(Pin newPin) {
        return but(fields -> fields.pin = newPin);
    }

    public ProblemNode withWrites(int... values) {
        return but(fields -> fields.writes = boxed(values));
    }

    /** One whose results stay on the device as long as they are needed. */
    public ProblemNode notOffloadable() {
        return but(fields -> fields.offloadable = false);
    }

    /** One whose values lie in a tier when the step begins and when it ends. */
    public ProblemNode withHome(int tier) {
        return but(fields -> fields.home = tier);
    }

    /** One that runs behind those before it that are in turn. */
    public ProblemNode takingTurns() {
        return but(fields -> fields.inTurn = true);
    }

    /** Whether it must run exactly once: it says so, updates or writes state, or is resident. */
    boolean runsOnce() {
        return !recomputable || resident || role == Role.UPDATE || !writes.isEmpty();
    }

    /** A node that must run exactly once. */
    public ProblemNode once() {
        return but(fields -> fields.recomputable = false);
    }

    /** The same where value {@code v} is called {@code renumbered[v]}. */
    ProblemNode withValuesRenumbered(int[] renumbered) {
        return but(fields -> {
            fields.inputs = inputs.stream().map(v -> renumbered[v]).toList();
            fields.results = results.stream()
                    .map(result -> new ProblemValue(
                            result.id(),
                            result.bytes(),
                            renumber(result.viewOf(), renumbered),
                            renumber(result.inPlaceOf(), renumbered)))
                    .toList();
            fields.writes = writes.stream().map(v -> renumbered[v]).toList();
        });
    }

    private static int renumber(int value, int[] renumbered) {
        return value == ProblemValue.NONE ? ProblemValue.NONE : renumbered[value];
    }

    private static List<Integer> boxed(int[] values) {
        return IntStream.of(values).boxed().toList();
    }
}
