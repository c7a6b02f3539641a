package dev.remat.ir.text;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphInput;
import dev.remat.ir.GraphOutput;
import dev.remat.ir.Initializer;
import dev.remat.ir.InputKind;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.Origin;
import dev.remat.ir.Region;
import dev.remat.ir.Role;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.Value;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.Attributes;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Ops;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;

/** Reads what {@link GraphPrinter} prints. */
public final class GraphParser {
    private final TextScanner in;
    private final List<GraphInput> inputs = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();
    private final List<GraphOutput> outputs = new ArrayList<>();

    private GraphParser(String text) {
        in = new TextScanner(text);
    }

    /** @throws IllegalArgumentException naming the line that is not of the text form */
    public static Graph parse(String text) {
        return new GraphParser(text).graph();
    }

    private Graph graph() {
        in.expect("graph");
        String name = in.quoted();
        in.expect("{");
        while (!in.accept("}")) {
            if (in.accept("input")) {
                input();
            } else if (in.accept("output")) {
                outputs.add(new GraphOutput(in.quoted(), valueId()));
            } else {
                node();
            }
        }
        return new Graph(name, inputs, nodes, values, outputs);
    }

    private void input() {
        Value value = define(new Value.Input(inputs.size()));
        InputKind kind = InputKind.valueOf(in.word().toUpperCase(Locale.ROOT));
        Initializer initializer = kind.isPersistent() ? initializer() : Initializer.ZEROS;
        inputs.add(new GraphInput(value.id(), kind, initializer, location()));
    }

    private Initializer initializer() {
        String kind = in.word();
        List<Double> arguments = in.list("(", ")").stream().map(Double::valueOf).toList();
        return switch (kind) {
            case "constant" -> new Initializer.Constant(arguments.get(0));
            case "normal" -> new Initializer.Normal(arguments.get(0), arguments.get(1));
            case "uniform" -> new Initializer.Uniform(arguments.get(0), arguments.get(1));
            default -> throw in.error("unknown initializer " + kind);
        };
    }

    private void node() {
        NodeId id = new NodeId(nodes.size());
        List<ValueId> results = new ArrayList<>();
        while (!in.accept("=")) {
            results.add(define(new Value.Result(id, results.size())).id());
            in.accept(",");
        }
        Op op = Ops.parse(in.word(), attributes());
        List<ValueId> operands = in.list("(", ")").stream().map(this::valueId).toList();
        Role role = Role.valueOf(in.word().toUpperCase(Locale.ROOT));
        Origin origin = origin();
        Optional<NodeId> clonedFrom = in.accept("remat") ? Optional.of(nodeId(in.word())) : Optional.empty();
        nodes.add(new Node(id, op, operands, results, role, origin, clonedFrom));
    }

    private Attributes attributes() {
        SequencedMap<String, String> attributes = new LinkedHashMap<>();
        if (in.peek("{")) {
            for (String pair : in.list("{", "}")) {
                int equals = pair.indexOf('=');
                attributes.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        return new Attributes(attributes);
    }

    private Value define(Value.Definition definition) {
        ValueId id = valueId();
        if (id.index() != values.size()) {
            throw in.error("expected %" + values.size() + " instead of " + id);
        }
        String name = in.quoted();
        DType dtype = DType.ofLabel(in.word());
        Shape shape = new Shape(in.list("[", "]").stream().map(Dim::parse).toList());
        Optional<Location> pin = in.accept("pinned") ? Optional.of(location()) : Optional.empty();
        Optional<String> retained = Optional.empty();
        if (in.accept("retained")) {
            in.expect("(");
            retained = Optional.of(in.quoted());
            in.expect(")");
        }
        Value value = new Value(id, name, new TensorType(dtype, shape), definition, pin, retained);
        values.add(value);
        return value;
    }

    private Origin origin() {
        String scope = in.quoted();
        List<Region> innermostFirst = new ArrayList<>();
        while (in.accept("in")) {
            String[] parts = in.word().split("/");
            int ordinal = Integer.parseInt(parts[0]);
            innermostFirst.add(new Region(ordinal, Integer.parseInt(parts[1]), location(), Optional.empty()));
        }
        Optional<Region> region = Optional.empty();
        for (Region r : innermostFirst.reversed()) {
            region = Optional.of(new Region(r.ordinal(), r.segments(), r.location(), region));
        }
        return new Origin(location(), scope, region);
    }

    private Location location() {
        String text = in.word();
        int column = text.lastIndexOf(':');
        int line = text.lastIndexOf(':', column - 1);
        if (!text.startsWith("@") || line < 0) {
            throw in.error("expected a location instead of " + text);
        }
        String file =
                text.substring(1, line).replace("%0A", "\n").replace("%20", " ").replace("%25", "%");
        return new Location(
                file, Integer.parseInt(text.substring(line + 1, column)), Integer.parseInt(text.substring(column + 1)));
    }

    private ValueId valueId() {
        return valueId(in.word());
    }

    private ValueId valueId(String word) {
        if (!word.startsWith("%")) {
            throw in.error("expected a value instead of " + word);
        }
        return new ValueId(Integer.parseInt(word.substring(1)));
    }

    private NodeId nodeId(String word) {
        if (!word.startsWith("#")) {
            throw in.error("expected a node instead of " + word);
        }
        return new NodeId(Integer.parseInt(word.substring(1)));
    }
}
