package dev.remat.compiler.solve;

import dev.remat.compiler.solve.NodeDraft.Name;
import dev.remat.compiler.solve.NodeDraft.Result;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Role;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Reads {@code remat-problem/1}: the nodes of a training step with bytes, costs and edges, in the order given; and
 * {@code remat-problem/2}, which adds the tiers below the device and what may be moved there.
 */
public final class ProblemReader {
    static final String FORMAT = "remat-problem/1";
    static final String TIERED_FORMAT = "remat-problem/2";

    private static final List<String> FIELDS = List.of("format", "name", "nodes", "outputs", "tiers");
    private static final List<String> NODE_FIELDS = List.of(
            "id",
            "cost",
            "bytes",
            "results",
            "inputs",
            "phase",
            "recomputable",
            "resident",
            "workspaceBytes",
            "pin",
            "viewOf",
            "inPlaceOf",
            "writes",
            "offloadable",
            "home");
    private static final List<String> RESULT_FIELDS = List.of("id", "bytes", "viewOf", "inPlaceOf");

    private final String file;
    private final JsonCursor json;
    private final List<NodeDraft> nodes = new ArrayList<>();
    private final List<Name> outputs = new ArrayList<>();
    private final List<Tier> tiers = new ArrayList<>();
    /** A field that only the second version has. */
    private Optional<Name> later = Optional.empty();

    private Optional<String> format = Optional.empty();
    private boolean nodesSeen;
    private String name = "problem";

    private ProblemReader(String file, JsonCursor json) {
        this.file = file;
        this.json = json;
    }

    /** @throws dev.remat.ir.diagnostic.ModelException with the location of what is malformed or contradicts itself */
    public static RematProblem read(Source source) {
        return JsonDiagnostics.read(source, json -> new ProblemReader(source.file(), json).problem());
    }

    private RematProblem problem() throws IOException {
        Location start = json.location(file);
        json.beginObject();
        json.fields(field -> {
            switch (field) {
                case "format" -> format = Optional.of(json.oneOf(List.of(FORMAT, TIERED_FORMAT)));
                case "name" -> name = json.text();
                case "nodes" -> {
                    nodes.addAll(json.list(this::node));
                    nodesSeen = true;
                }
                case "outputs" -> outputs.addAll(json.list(this::name));
                case "tiers" -> {
                    ofSecond(field);
                    tiers.addAll(json.list(() -> TierReader.read(file, json)));
                }
                default -> throw json.unknownField(field, FIELDS);
            }
        });
        if (format.isEmpty() || !nodesSeen) {
            throw JsonDiagnostics.field(start, "missing field '" + (format.isPresent() ? "nodes" : "format") + "'");
        }
        if (later.isPresent() && format.get().equals(FORMAT)) {
            throw JsonDiagnostics.field(
                    later.get().location(), "'" + later.get().text() + "' belongs to " + TIERED_FORMAT);
        }
        return new NameResolver(nodes, tiers).problem(name, outputs);
    }

    private void ofSecond(String field) throws IOException {
        if (later.isEmpty()) {
            later = Optional.of(new Name(field, json.location(file)));
        }
    }

    private NodeDraft node() throws IOException {
        NodeDraft node = new NodeDraft(json.location(file));
        json.beginObject();
        json.fields(field -> {
            switch (field) {
                case "id" -> node.id = Optional.of(name());
                case "cost" -> node.cost = OptionalLong.of(json.unsigned());
                case "bytes" -> node.bytes = OptionalLong.of(json.unsigned());
                case "results" -> node.results = Optional.of(json.list(this::result));
                case "inputs" -> node.inputs.addAll(json.list(this::name));
                case "phase" -> node.role = oneOf(Role.values(), Role::label);
                case "recomputable" -> node.recomputable = json.flag();
                case "resident" -> node.resident = json.flag();
                case "workspaceBytes" -> node.workspaceBytes = json.unsigned();
                case "pin" -> node.pin = oneOf(Pin.values(), Pin::label);
                case "viewOf" -> node.viewOf = Optional.of(name());
                case "inPlaceOf" -> node.inPlaceOf = Optional.of(name());
                case "writes" -> writes(node);
                case "offloadable" -> {
                    ofSecond(field);
                    node.offloadable = json.flag();
                }
                case "home" -> {
                    ofSecond(field);
                    node.home = Optional.of(name());
                }
                default -> throw json.unknownField(field, NODE_FIELDS);
            }
        });
        node.check();
        return node;
    }

    private Result result() throws IOException {
        NodeDraft draft = new NodeDraft(json.location(file));
        json.beginObject();
        json.fields(field -> {
            switch (field) {
                case "id" -> draft.id = Optional.of(name());
                case "bytes" -> draft.bytes = OptionalLong.of(json.unsigned());
                case "viewOf" -> draft.viewOf = Optional.of(name());
                case "inPlaceOf" -> draft.inPlaceOf = Optional.of(name());
                default -> throw json.unknownField(field, RESULT_FIELDS);
            }
        });
        draft.cost = OptionalLong.of(0);
        draft.check();
        return draft.allResults().getFirst();
    }

    /** One name, or an array of them. */
    private void writes(NodeDraft node) throws IOException {
        if (json.atText()) {
            node.writes.add(name());
        } else {
            node.writes.addAll(json.list(this::name));
        }
    }

    private Name name() throws IOException {
        Location location = json.location(file);
        String text = json.text();
        if (text.isEmpty()) {
            throw json.corrupt("a name cannot be empty");
        }
        return new Name(text, location);
    }

    private <T> T oneOf(T[] values, Function<T, String> label) throws IOException {
        String text = json.text();
        for (T value : values) {
            if (label.apply(value).equals(text)) {
                return value;
            }
        }
        throw json.corrupt(
                "unknown value '" + text + "'",
                "expected one of "
                        + String.join(", ", Arrays.stream(values).map(label).toList()));
    }
}
