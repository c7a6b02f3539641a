package dev.remat.compiler.forward;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.Continuation.Kept;
import dev.remat.compiler.forward.NewPositions.NotOneByOneException;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.BatchRoleException;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.ShapeException;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes of a model over a whole window of a text one over the new positions in it alone. Where an operation takes
 * positions one by one, as {@link BatchRole} says of rows, it takes the new ones. Where positions meet, in attention
 * and in products of positions with positions, the later operand is wanted of all positions: its rows for earlier ones
 * are kept, and those of the new ones put among them. What depends on no token, such as a table of positions, is
 * computed as before, and the rows of the new positions are picked from it.
 *
 * <p>A model that goes through positions otherwise, such as a recurrent one, or that reads their number, is left alone.
 * Whether a token depends on later ones through a mask of its own is not seen here.
 */
public final class ContinueText {
    private final Graph source;
    private final Dim length;
    private final long window;
    private final GraphBuilder out;
    private final List<Kept> kept = new ArrayList<>();
    /** Whether a value depends on tokens. */
    private final boolean[] ofText;
    /** Values of the source at all positions of the window, and at the new ones. */
    private final Map<ValueId, ValueId> whole = new LinkedHashMap<>();

    private final Map<ValueId, ValueId> rows = new LinkedHashMap<>();
    private final NewPositions positions;

    private ContinueText(Graph source, String symbol, long window) {
        this.source = source;
        this.length = Dim.symbol(symbol);
        this.window = window;
        this.out = new GraphBuilder(source.name());
        this.positions = new NewPositions(out, length, window);
        this.ofText = new boolean[source.values().size()];
        source.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .forEach(input -> ofText[input.value().index()] = true);
        for (Node node : source.nodes()) {
            boolean depends = node.operands().stream().anyMatch(operand -> ofText[operand.index()]);
            node.results().forEach(result -> ofText[result.index()] = depends);
        }
    }

    /**
     * The model at new positions alone.
     *
     * @param logits of a model whose only open symbol is {@code symbol}, the length of its text, and what is wanted of
     *     it
     * @param output name that it gets
     * @param window how many positions there are in all
     * @return empty if the model does not take positions one by one
     */
    public static Optional<Continuation> run(Logits logits, String output, String symbol, long window) {
        ElaboratedModel model = logits.model();
        ContinueText pass = new ContinueText(model.forward(), symbol, window);
        try {
            return Optional.of(pass.run(model, logits.value(), output));
        } catch (NotOneByOneException | BatchRoleException | ShapeException e) {
            return Optional.empty();
        }
    }

    private Continuation run(ElaboratedModel model, ValueId logits, String output) {
        // In the order of the model, which is that of what is computed from what.
        boolean[] needed = new boolean[source.values().size()];
        needed[logits.index()] = true;
        for (Node node : source.nodes().reversed()) {
            if (node.results().stream().anyMatch(result -> needed[result.index()])) {
                node.operands().forEach(operand -> needed[operand.index()] = true);
            }
        }
        source.nodes().stream()
                .filter(node ->
                        node.results().stream().anyMatch(result -> needed[result.index()] && ofText[result.index()]))
                .forEach(this::row);
        ValueId found = row(logits);
        if (!(positions.role(found) instanceof BatchRole.Rows)) {
            throw new NotOneByOneException("the logits are the same at all positions");
        }
        out.output(output, found);
        return new Continuation(model.with(out.build()), positions.input(), kept);
    }

    private boolean hasLength(ValueId value) {
        return positions.hasLength(source.type(value));
    }

    private GraphInput input(ValueId value) {
        return source.inputs().get(((Value.Input) source.value(value).definition()).index());
    }

    /** The value at all positions. */
    private ValueId whole(ValueId value) {
        ValueId known = whole.get(value);
        if (known != null) {
            return known;
        }
        if (source.value(value).definition() instanceof Value.Result(var id, int _)) {
            Node node = source.node(id);
            boolean cheap = node.op() instanceof View || node.op() instanceof Cast;
            if (ofText[value.index()] && !cheap) {
                whole.put(value, keep(value));
            } else {
                out.at(node.origin());
                emitWhole(node);
            }
        } else {
            GraphInput input = input(value);
            if (ofText[value.index()] || hasLength(value)) {
                throw new NotOneByOneException("reads tokens across positions");
            }
            whole.put(value, out.input(input, source.value(value).name(), source.type(value)));
        }
        return whole.get(value);
    }

    private void emitWhole(Node node) {
        List<ValueId> operands = node.operands().stream().map(this::whole).toList();
        List<ValueId> results = out.emit(node.op().bind(positions::bound), operands);
        for (int i = 0; i < results.size(); i++) {
            whole.put(node.results().get(i), results.get(i));
        }
    }

    /** The value at all positions, of which the earlier ones are kept. */
    private ValueId keep(ValueId value) {
        ValueId now = row(value);
        int axis = positions.axisOfPositions(now);
        TensorType type = positions.bound(out.type(now));
        if (!type.dtype().isFloat()) {
            throw new NotOneByOneException("keeps " + type);
        }
        ValueId before = out.input("kept." + kept.size(), type, InputKind.STATE, Initializer.ZEROS, Location.NONE);
        String name = out.value(before).name();
        ValueId among = out.apply(new ScatterAdd(axis, Dim.of(window)), now, positions.numbers(out.type(now), axis));
        out.output(name, now);
        kept.add(new Kept(name, axis));
        return out.add(before, among);
    }

    /** The value at the new positions. */
    private ValueId row(ValueId value) {
        ValueId known = rows.get(value);
        if (known != null) {
            return known;
        }
        if (source.value(value).definition() instanceof Value.Result(var id, int _)) {
            row(source.node(id));
        } else if (ofText[value.index()]) {
            GraphInput input = input(value);
            TensorType type = source.type(value);
            if (type.rank() != 2 || !type.dim(0).is(1) || !type.dim(1).equals(length)) {
                throw new NotOneByOneException("reads " + type);
            }
            rows.put(value, out.input(input, source.value(value).name(), type));
            positions.put(rows.get(value), new BatchRole.Rows(1, Dim.ONE));
        } else {
            rows.put(value, whole(value));
            positions.put(rows.get(value), new BatchRole.Free());
        }
        return rows.get(value);
    }

    private void row(Node node) {
        if (rows.containsKey(node.results().getFirst())) {
            return;
        }
        out.at(node.origin());
        boolean depends = ofText[node.results().getFirst().index()];
        if (!depends && node.results().stream().noneMatch(this::hasLength)) {
            boolean counts = node.operands().stream().anyMatch(this::hasLength)
                    || !node.op().bind(positions::bound).equals(node.op());
            if (counts) {
                throw new NotOneByOneException("depends on the number of positions");
            }
            for (ValueId result : node.results()) {
                rows.put(result, whole(result));
                positions.put(rows.get(result), new BatchRole.Free());
            }
        } else if (!depends) {
            rowOfWhole(node);
        } else if (node.op().drawnOrdinal().isPresent()) {
            throw new NotOneByOneException("draws");
        } else if (node.op() instanceof Attention attention) {
            attend(node, attention);
        } else if (node.op() instanceof MatMul) {
            multiply(node);
        } else {
            oneByOne(node, node.operands().stream().map(this::row).toList());
        }
    }

    /** Of what depends on no token: computed at the new positions where that is possible, else picked. */
    private void rowOfWhole(Node node) {
        boolean single = node.results().size() == 1
                && source.type(node.results().getFirst()).shape().dims().stream()
                                .filter(dim -> dim.mentions(length))
                                .count()
                        == 1;
        if (single && isOneByOne(node)) {
            oneByOne(node, node.operands().stream().map(this::row).toList());
            return;
        }
        for (ValueId result : node.results()) {
            TensorType type = source.type(result);
            int axis = positions.firstAxis(type);
            ValueId all = whole(result);
            TensorType picked = out.type(all).with(out.type(all).shape().with(axis, length));
            rows.put(result, out.apply(new Gather(axis), all, positions.numbers(picked, axis)));
            positions.put(rows.get(result), new BatchRole.Rows(axis, Dim.ONE));
        }
    }

    /** Whether its operation takes rows one by one, by the roles of the operands alone. */
    private boolean isOneByOne(Node node) {
        try {
            List<ValueId> operands = node.operands().stream().map(this::row).toList();
            List<TensorType> types = operands.stream().map(out::type).toList();
            node.op().infer(types);
            return positions.roles(node.op(), operands, node.op().infer(types)).stream()
                    .allMatch(role -> role.rowAxis().isPresent());
        } catch (BatchRoleException | ShapeException e) {
            return false;
        }
    }

    /** The operation at the new positions, which it takes one by one. */
    private void oneByOne(Node node, List<ValueId> operands) {
        Op op = node.op().bind(positions.keysBound(source.type(node.results().getFirst())));
        List<TensorType> types = op.infer(operands.stream().map(out::type).toList());
        List<BatchRole> found = positions.roles(op, operands, types);
        if (found.stream().anyMatch(role -> role.rowAxis().isEmpty())) {
            throw new NotOneByOneException(op.mnemonic() + " brings positions together");
        }
        define(node, out.emit(op, operands), found);
    }

    private void define(Node node, List<ValueId> results, List<BatchRole> found) {
        for (int i = 0; i < results.size(); i++) {
            rows.put(node.results().get(i), results.get(i));
            positions.put(results.get(i), found.get(i));
        }
    }

    /** The later operand is wanted at all positions, unless both are products of their own at each. */
    private void multiply(Node node) {
        ValueId a = row(node.operands().getFirst());
        ValueId second = node.operands().getLast();
        int rank = out.type(a).rank();
        boolean each = positions.role(a).rowAxis().orElse(rank) < rank - 2
                && source.type(second).rank() == rank
                && source.type(second)
                        .dim(positions.role(a).rowAxis().getAsInt())
                        .equals(out.type(a).dim(positions.role(a).rowAxis().getAsInt()));
        if (each || !hasLength(second)) {
            oneByOne(node, List.of(a, row(second)));
            return;
        }
        ValueId b = whole(second);
        positions.put(b, new BatchRole.Free());
        oneByOne(node, List.of(a, b));
    }

    /** Queries of the new positions, keys and values of all, and of these no later ones. */
    private void attend(Node node, Attention op) {
        if (!op.causal() && !op.masked()) {
            throw new NotOneByOneException("attends to later positions");
        }
        ValueId queries = row(node.operands().getFirst());
        if (positions.axisOfPositions(queries) != 2) {
            throw new NotOneByOneException("attends across something else than positions");
        }
        List<ValueId> operands = new ArrayList<>(List.of(
                queries, whole(node.operands().get(1)), whole(node.operands().get(2))));
        Optional<ValueId> mask =
                op.masked() ? Optional.of(seen(node.operands().get(op.maskIndex()))) : Optional.empty();
        if (op.causal()) {
            ValueId earlier = positions.earlier();
            mask = Optional.of(mask.map(given -> {
                        Shape shape = out.type(given).shape().with(2, length).with(3, Dim.of(window));
                        return out.binary(Binary.Kind.AND, out.expand(given, shape), out.expand(earlier, shape));
                    })
                    .orElse(earlier));
        }
        operands.add(mask.orElseThrow());
        if (op.biased()) {
            operands.add(seen(node.operands().get(op.biasIndex())));
        }
        List<ValueId> results = out.emit(new Attention(op.scale(), false, true, op.biased()), operands);
        define(node, results, List.of(new BatchRole.Rows(2, Dim.ONE), new BatchRole.Rows(2, Dim.ONE)));
    }

    /** What a mask or bias says of the new positions and all keys. */
    private ValueId seen(ValueId scores) {
        return source.type(scores).dim(2).mentions(length) ? row(scores) : whole(scores);
    }
}
