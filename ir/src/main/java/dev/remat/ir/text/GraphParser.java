package dev.remat.ir.text;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.RowsOf;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValuePin;
import dev.remat.ir.op.Attributes;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Ops;
import dev.remat.ir.op.ShapeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * Reads what {@link GraphPrinter} prints, and texts written by hand that leave out what goes without saying: the line
 * around the graph, names of values, types that the operation gives, flags that are false, the role {@code forward},
 * initial zeros and places. A value may be called by a word in place of its number, which then is its name; a clone may
 * say {@code remat %b} for the node that computes {@code %b}. Comments run from {@code //} to the end of the line.
 *
 * <pre>
 * input %x f32[8, 4]
 * input %w f32[4, 2] parameter
 * %y = matmul(%x, %w)                 // f32[8, 2]
 * output %y
 * </pre>
 */
public final class GraphParser {
    private static final String UNNAMED = "graph";
    private static final List<String> INITIALIZERS = List.of("constant", "normal", "uniform", "lengths");

    /** A value as it is written, before its operation is known. */
    private record Draft(
            String word,
            Optional<String> name,
            Optional<TensorType> type,
            Optional<ValuePin> pin,
            Optional<String> retained) {}

    private final TextScanner in;
    private final List<GraphInput> inputs = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();
    private final List<GraphOutput> outputs = new ArrayList<>();
    /** Values that are called by a word. */
    private final SequencedMap<String, ValueId> words = new LinkedHashMap<>();

    private GraphParser(String text) {
        in = new TextScanner(text);
    }

    /** @throws IllegalArgumentException naming the line that is not of the text form */
    public static Graph parse(String text) {
        return new GraphParser(text).graph();
    }

    private Graph graph() {
        boolean framed = in.accept("graph");
        String name = framed ? in.quoted() : UNNAMED;
        if (framed) {
            in.expect("{");
        }
        while (!(framed ? in.accept("}") : in.atEnd())) {
            if (in.accept("input")) {
                input();
            } else if (in.accept("output")) {
                Optional<String> called = quotedIfAny();
                ValueId value = valueId();
                outputs.add(new GraphOutput(called.orElseGet(() -> known(value).name()), value));
            } else {
                node();
            }
        }
        return new Graph(name, inputs, nodes, values, outputs);
    }

    private void input() {
        Draft draft = draft();
        TensorType type = draft.type().orElseThrow(() -> in.error("expected a type of " + draft.word()));
        Value value = define(draft, type, new Value.Input(inputs.size()));
        InputKind kind = InputKind.DATA;
        for (InputKind k : InputKind.values()) {
            kind = in.accept(k.label()) ? k : kind;
        }
        boolean started = kind.isPersistent() && INITIALIZERS.stream().anyMatch(in::peek);
        Initializer initializer = started ? initializer() : Initializer.ZEROS;
        Optional<RowsOf> rows = in.accept("rows") ? Optional.of(rows()) : Optional.empty();
        Optional<ShareOf> share = in.accept("share") ? Optional.of(share()) : Optional.empty();
        inputs.add(new GraphInput(value.id(), kind, initializer, locationIfAny(), rows, share));
    }

    private ShareOf share() {
        in.expect("(");
        List<ShareOf.Part> parts = new ArrayList<>();
        while (!in.accept(")")) {
            String tensor = in.quoted();
            TensorType type = type();
            Initializer initializer = initializer();
            long first = Long.parseLong(in.word());
            parts.add(new ShareOf.Part(tensor, type, initializer, locationIfAny(), first));
        }
        return new ShareOf(parts);
    }

    private RowsOf rows() {
        in.expect("(");
        String tensor = in.quoted();
        in.expect(",");
        long from = Long.parseLong(in.word());
        in.expect(")");
        return new RowsOf(tensor, from);
    }

    private Initializer initializer() {
        String kind = in.word();
        if (kind.equals("lengths")) {
            return lengths();
        }
        List<Double> arguments = in.list("(", ")").stream().map(Double::valueOf).toList();
        return switch (kind) {
            case "constant" -> new Initializer.Constant(arguments.get(0));
            case "normal" -> new Initializer.Normal(arguments.get(0), arguments.get(1));
            case "uniform" -> new Initializer.Uniform(arguments.get(0), arguments.get(1));
            default -> throw in.error("unknown initializer " + kind);
        };
    }

    private Initializer lengths() {
        in.expect("(");
        String of = in.quoted();
        in.expect(",");
        long run = Long.parseLong(in.word());
        in.expect(",");
        Initializer initializer = initializer();
        in.expect(")");
        return new Initializer.Lengths(of, run, initializer);
    }

    private void node() {
        NodeId id = new NodeId(nodes.size());
        List<Draft> drafts = new ArrayList<>();
        while (!in.accept("=")) {
            drafts.add(draft());
            in.accept(",");
        }
        String mnemonic = in.word();
        Op op = op(mnemonic, attributes(mnemonic));
        List<ValueId> operands = in.list("(", ")").stream().map(this::valueId).toList();
        List<TensorType> types = types(drafts, op, operands);
        List<ValueId> results = new ArrayList<>();
        for (Draft draft : drafts) {
            int index = results.size();
            results.add(
                    define(draft, types.get(index), new Value.Result(id, index)).id());
        }
        Role role = Role.FORWARD;
        for (Role r : Role.values()) {
            role = in.accept(r.label()) ? r : role;
        }
        Origin origin = origin();
        Optional<NodeId> clonedFrom = in.accept("remat") ? Optional.of(nodeId(in.word())) : Optional.empty();
        nodes.add(new Node(id, op, operands, results, role, origin, clonedFrom));
    }

    private Op op(String mnemonic, Attributes attributes) {
        try {
            return Ops.parse(mnemonic, attributes);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(in.error(e.getMessage()).getMessage(), e);
        }
    }

    /** Types of results, by the operation where one is left out. */
    private List<TensorType> types(List<Draft> drafts, Op op, List<ValueId> operands) {
        if (drafts.stream().allMatch(draft -> draft.type().isPresent())) {
            return drafts.stream().flatMap(draft -> draft.type().stream()).toList();
        }
        try {
            List<TensorType> given =
                    op.infer(operands.stream().map(id -> known(id).type()).toList());
            if (given.size() != drafts.size()) {
                throw in.error(op.mnemonic() + " has " + given.size() + " results");
            }
            List<TensorType> types = new ArrayList<>();
            for (Draft draft : drafts) {
                types.add(draft.type().orElse(given.get(types.size())));
            }
            return types;
        } catch (ShapeException e) {
            throw new IllegalArgumentException(in.error(e.getMessage()).getMessage(), e);
        }
    }

    private Attributes attributes(String mnemonic) {
        SequencedMap<String, String> attributes = new LinkedHashMap<>();
        if (in.peek("{")) {
            for (String pair : in.list("{", "}")) {
                int equals = pair.indexOf('=');
                if (equals < 0) {
                    throw in.error("expected name=value instead of " + pair);
                }
                attributes.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        // A flag that is always printed may be left out where it is false.
        List<Attributes> examples = Ops.ALL.stream()
                .filter(family -> family.mnemonics().contains(mnemonic))
                .flatMap(family -> family.examples().stream())
                .filter(example -> example.mnemonic().equals(mnemonic))
                .map(Op::attributes)
                .toList();
        examples.stream()
                .flatMap(example -> example.values().entrySet().stream())
                .filter(attribute -> List.of("true", "false").contains(attribute.getValue()))
                .map(Map.Entry::getKey)
                .filter(flag -> examples.stream().allMatch(example -> example.has(flag)))
                .forEach(flag -> attributes.putIfAbsent(flag, "false"));
        return new Attributes(attributes);
    }

    private Draft draft() {
        String word = in.word();
        if (!word.startsWith("%")) {
            throw in.error("expected a value instead of " + word);
        }
        Optional<String> name = quotedIfAny();
        boolean untyped = Stream.of("=", ",", "pinned", "offloaded", "retained").anyMatch(in::peek);
        Optional<TensorType> type = untyped ? Optional.empty() : Optional.of(type());
        Optional<ValuePin> pin = Stream.of(ValuePin.Kind.values())
                .filter(kind -> in.accept(kind.participle()))
                .map(kind -> new ValuePin(kind, locationIfAny()))
                .findFirst();
        Optional<String> retained = Optional.empty();
        if (in.accept("retained")) {
            in.expect("(");
            retained = Optional.of(in.quoted());
            in.expect(")");
        }
        return new Draft(word, name, type, pin, retained);
    }

    private TensorType type() {
        DType dtype = DType.ofLabel(in.word());
        return new TensorType(
                dtype, new Shape(in.list("[", "]").stream().map(Dim::parse).toList()));
    }

    private Value define(Draft draft, TensorType type, Value.Definition definition) {
        ValueId id = new ValueId(values.size());
        String word = draft.word();
        if (isNumber(word)) {
            if (!word.equals(id.toString())) {
                throw in.error("expected " + id + " instead of " + word);
            }
        } else if (words.put(word, id) != null) {
            throw in.error("two values are called " + word);
        }
        String name = draft.name().orElse(word.substring(1));
        Value value = new Value(id, name, type, definition, draft.pin(), draft.retained(), Optional.empty());
        values.add(value);
        return value;
    }

    private Value known(ValueId id) {
        if (id.index() >= values.size()) {
            throw in.error(id + " is not computed yet");
        }
        return values.get(id.index());
    }

    private Origin origin() {
        String scope = quotedIfAny().orElse("");
        List<Region> innermostFirst = new ArrayList<>();
        while (in.accept("in")) {
            String[] parts = in.word().split("/");
            int ordinal = Integer.parseInt(parts[0]);
            innermostFirst.add(new Region(ordinal, Integer.parseInt(parts[1]), locationIfAny(), Optional.empty()));
        }
        Optional<Region> region = Optional.empty();
        for (Region r : innermostFirst.reversed()) {
            region = Optional.of(new Region(r.ordinal(), r.segments(), r.location(), region));
        }
        return new Origin(locationIfAny(), scope, region);
    }

    private Optional<String> quotedIfAny() {
        return in.startsWith("\"") ? Optional.of(in.quoted()) : Optional.empty();
    }

    private Location locationIfAny() {
        return in.startsWith("@") ? location() : Location.NONE;
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
        if (isNumber(word)) {
            return new ValueId(Integer.parseInt(word.substring(1)));
        }
        ValueId called = words.get(word);
        if (called == null) {
            throw in.error("no value is called " + word);
        }
        return called;
    }

    private static boolean isNumber(String word) {
        return word.substring(1).chars().allMatch(Character::isDigit);
    }

    /** A node by its number, or by a value that it computes. */
    private NodeId nodeId(String word) {
        if (word.startsWith("%")) {
            return known(valueId(word)).producer().orElseThrow(() -> in.error("nothing computes " + word));
        }
        if (!word.startsWith("#")) {
            throw in.error("expected a node instead of " + word);
        }
        return new NodeId(Integer.parseInt(word.substring(1)));
    }
}
