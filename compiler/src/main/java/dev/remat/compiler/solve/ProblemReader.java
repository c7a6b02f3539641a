package dev.remat.compiler.solve;

import dev.remat.compiler.solve.NodeDraft.Name;
import dev.remat.compiler.solve.NodeDraft.Result;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.plan.Phase;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Reads {@code remat-problem/1}: the nodes of a training step with bytes, costs and edges, in the order given. */
public final class ProblemReader {
    static final String FORMAT = "remat-problem/1";

    private static final List<String> FIELDS = List.of("format", "name", "nodes", "outputs");
    private static final List<String> NODE_FIELDS = List.of(
            "id", "cost", "bytes", "results", "inputs", "phase", "recomputable", "resident", "workspaceBytes", "pin",
            "viewOf", "inPlaceOf", "writes");
    private static final List<String> RESULT_FIELDS = List.of("id", "bytes", "viewOf", "inPlaceOf");

    private final JsonCursor cursor;
    private final List<NodeDraft> nodes = new ArrayList<>();
    private final List<Name> outputs = new ArrayList<>();
    private boolean formatSeen;
    private boolean nodesSeen;
    private String name = "problem";

    private ProblemReader(JsonCursor cursor) {
        this.cursor = cursor;
    }

    /** @throws dev.remat.ir.diagnostic.ModelException with the place of what is malformed or contradicts itself */
    public static RematProblem read(Source source) {
        return JsonCursor.read(source, cursor -> new ProblemReader(cursor).problem());
    }

    private RematProblem problem() throws IOException {
        Location start = cursor.location();
        cursor.object(field -> {
            switch (field) {
                case "format" -> {
                    cursor.constant(FORMAT);
                    formatSeen = true;
                }
                case "name" -> name = cursor.string();
                case "nodes" -> {
                    cursor.array(() -> nodes.add(node()));
                    nodesSeen = true;
                }
                case "outputs" -> cursor.array(() -> outputs.add(name()));
                default -> throw cursor.unknownField(field, FIELDS);
            }
        });
        if (!formatSeen || !nodesSeen) {
            throw JsonCursor.error(
                    JsonCursor.FIELD, start, "missing field '" + (formatSeen ? "nodes" : "format") + "'");
        }
        return new NameResolver(nodes).problem(name, outputs);
    }

    private NodeDraft node() throws IOException {
        NodeDraft node = new NodeDraft(cursor.location());
        cursor.object(field -> {
            switch (field) {
                case "id" -> node.id = Optional.of(name());
                case "cost" -> node.cost = OptionalLong.of(cursor.count());
                case "bytes" -> node.bytes = OptionalLong.of(cursor.count());
                case "results" -> node.results = Optional.of(results());
                case "inputs" -> cursor.array(() -> node.inputs.add(name()));
                case "phase" -> node.phase = oneOf(Phase.values(), Phase::label);
                case "recomputable" -> node.recomputable = cursor.bool();
                case "resident" -> node.resident = cursor.bool();
                case "workspaceBytes" -> node.workspaceBytes = cursor.count();
                case "pin" -> node.pin = oneOf(Pin.values(), Pin::label);
                case "viewOf" -> node.viewOf = Optional.of(name());
                case "inPlaceOf" -> node.inPlaceOf = Optional.of(name());
                case "writes" -> writes(node);
                default -> throw cursor.unknownField(field, NODE_FIELDS);
            }
        });
        node.check();
        return node;
    }

    private List<Result> results() throws IOException {
        List<Result> results = new ArrayList<>();
        cursor.array(() -> results.add(result()));
        return results;
    }

    private Result result() throws IOException {
        NodeDraft draft = new NodeDraft(cursor.location());
        cursor.object(field -> {
            switch (field) {
                case "id" -> draft.id = Optional.of(name());
                case "bytes" -> draft.bytes = OptionalLong.of(cursor.count());
                case "viewOf" -> draft.viewOf = Optional.of(name());
                case "inPlaceOf" -> draft.inPlaceOf = Optional.of(name());
                default -> throw cursor.unknownField(field, RESULT_FIELDS);
            }
        });
        draft.cost = OptionalLong.of(0);
        draft.check();
        return draft.allResults().getFirst();
    }

    /** One name, or an array of them. */
    private void writes(NodeDraft node) throws IOException {
        if (cursor.atString()) {
            node.writes.add(name());
        } else {
            cursor.array(() -> node.writes.add(name()));
        }
    }

    private Name name() throws IOException {
        Location place = cursor.location();
        String text = cursor.string();
        if (text.isEmpty()) {
            throw cursor.error(JsonCursor.VALUE, "a name cannot be empty");
        }
        return new Name(text, place);
    }

    private <T> T oneOf(T[] values, Function<T, String> label) throws IOException {
        String text = cursor.string();
        for (T value : values) {
            if (label.apply(value).equals(text)) {
                return value;
            }
        }
        throw cursor.error(JsonCursor.VALUE, "unknown value '" + text + "'",
                "expected one of " + String.join(", ", Arrays.stream(values).map(label).toList()));
    }
}
