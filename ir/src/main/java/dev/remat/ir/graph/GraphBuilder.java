package dev.remat.ir.graph;

import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OpEmitter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Appends to a graph. Nodes take the origin and role that were set last; values without a given name are called after
 * their scope and operation, numbered where that repeats.
 */
public final class GraphBuilder implements OpEmitter {
    private final String name;
    private final List<GraphInput> inputs = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();
    private final List<GraphOutput> outputs = new ArrayList<>();
    /** How often each name was asked for, so that the next one is unique. */
    private final Map<String, Integer> names = new LinkedHashMap<>();

    private Origin origin = Origin.NONE;
    private Role role = Role.FORWARD;

    public GraphBuilder(String name) {
        this.name = name;
    }

    public GraphBuilder at(Origin origin) {
        this.origin = origin;
        return this;
    }

    public GraphBuilder as(Role role) {
        this.role = role;
        return this;
    }

    public Origin origin() {
        return origin;
    }

    public ValueId input(String name, TensorType type, InputKind kind, Initializer initializer, Location location) {
        return input(name, type, kind, initializer, location, Optional.empty(), Optional.empty());
    }

    /** Like an input of another graph, perhaps under another name and type. */
    public ValueId input(GraphInput like, String name, TensorType type) {
        return input(name, type, like.kind(), like.initializer(), like.location(), like.rows(), like.share());
    }

    /** Some rows of what {@code whole}, an input of another graph, is. */
    public ValueId input(GraphInput whole, String name, TensorType type, RowsOf rows) {
        return input(name, type, whole.kind(), whole.initializer(), whole.location(), Optional.of(rows), whole.share());
    }

    /** A rank's share of tensors that outlive the step. */
    public ValueId input(String name, TensorType type, InputKind kind, ShareOf share) {
        return input(name, type, kind, Initializer.ZEROS, Location.NONE, Optional.empty(), Optional.of(share));
    }

    private ValueId input(
            String name,
            TensorType type,
            InputKind kind,
            Initializer initializer,
            Location location,
            Optional<RowsOf> rows,
            Optional<ShareOf> share) {
        ValueId id = define(unique(name), type, new Value.Input(inputs.size()));
        inputs.add(new GraphInput(id, kind, initializer, location, rows, share));
        return id;
    }

    /** The input that {@code value} is. */
    public GraphInput input(ValueId value) {
        return inputs.get(((Value.Input) value(value).definition()).index());
    }

    /** The first input of a kind, if there is one. */
    public Optional<ValueId> inputOf(InputKind kind) {
        return inputs.stream()
                .filter(input -> input.kind() == kind)
                .map(GraphInput::value)
                .findFirst();
    }

    @Override
    public List<ValueId> emit(Op op, List<ValueId> operands) {
        List<TensorType> types = op.infer(operands.stream().map(this::type).toList());
        String stem = origin.scope().isEmpty() ? op.mnemonic() : origin.scope() + "." + op.mnemonic();
        List<String> resultNames = new ArrayList<>();
        types.forEach(type -> resultNames.add(stem));
        return append(op, operands, types, resultNames, Optional.empty());
    }

    /**
     * Appends a node whose result types are known.
     *
     * @param resultNames wished for; a number is added where a name is taken
     */
    public List<ValueId> append(
            Op op,
            List<ValueId> operands,
            List<TensorType> types,
            List<String> resultNames,
            Optional<NodeId> clonedFrom) {
        NodeId id = new NodeId(nodes.size());
        List<ValueId> results = new ArrayList<>(types.size());
        for (int i = 0; i < types.size(); i++) {
            results.add(define(unique(resultNames.get(i)), types.get(i), new Value.Result(id, i)));
        }
        nodes.add(new Node(id, op, operands, results, role, origin, clonedFrom));
        return results;
    }

    private ValueId define(String name, TensorType type, Value.Definition definition) {
        ValueId id = new ValueId(values.size());
        values.add(new Value(id, name, type, definition, Optional.empty(), Optional.empty(), Optional.empty()));
        return id;
    }

    private String unique(String wish) {
        int uses = names.merge(wish, 1, Integer::sum);
        if (uses == 1) {
            return wish;
        }
        String numbered = wish + "." + uses;
        while (names.containsKey(numbered)) {
            uses++;
            numbered = wish + "." + uses;
        }
        names.put(wish, uses);
        names.put(numbered, 1);
        return numbered;
    }

    /** Numbers whatever is called {@code name} from here on. */
    public void reserve(String name) {
        unique(name);
    }

    /** Gives a value a name of its own, numbered if it is taken. */
    public void rename(ValueId id, String wish) {
        Value v = value(id);
        if (!v.name().equals(wish)) {
            set(new Value(id, unique(wish), v.type(), v.definition(), v.pin(), v.retained(), v.mark()));
        }
    }

    /** Records what the user asked of {@code id}. */
    public void pin(ValueId id, ValuePin pin) {
        tell(id, Optional.of(pin), Optional.empty(), Optional.empty());
    }

    /** Records what {@code id} is to training. */
    public void mark(ValueId id, Mark mark) {
        tell(id, Optional.empty(), Optional.empty(), Optional.of(mark));
    }

    /** Records of {@code id} what is recorded of a value of another graph, whose place it takes. */
    public void carry(Value from, ValueId id) {
        tell(id, from.pin(), from.retained(), from.mark());
    }

    private void tell(ValueId id, Optional<ValuePin> pin, Optional<String> retained, Optional<Mark> mark) {
        Value v = value(id);
        set(new Value(
                id, v.name(), v.type(), v.definition(), pin.or(v::pin), retained.or(v::retained), mark.or(v::mark)));
    }

    private void set(Value value) {
        values.set(value.id().index(), value);
    }

    public void output(String name, ValueId value) {
        outputs.add(new GraphOutput(name, value));
    }

    public Value value(ValueId id) {
        return values.get(id.index());
    }

    @Override
    public TensorType type(ValueId id) {
        return value(id).type();
    }

    public int nodeCount() {
        return nodes.size();
    }

    public Node lastNode() {
        return nodes.getLast();
    }

    public Graph build() {
        return new Graph(name, inputs, nodes, values, outputs);
    }
}
