package dev.remat.compiler.split;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.BatchOperands;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.BatchRoleException;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.SeedOp;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes of a forward graph over the batch that of a micro-batch, whose loss has the batch's as its mean: sums over rows
 * are multiplied by the number of micro-batches, random operations draw for their rows of the batch, and what is needed
 * of the whole batch though it depends on data alone is read from an accumulator. What a step does once is set apart:
 * running statistics move by those of all micro-batches (Huang et al., 2019, normalize by each of them).
 *
 * <pre>
 * before: %2 = reduce_sum(%x)                %4 = div(%2, %n)       %n = reduce_sum(%weights)
 * after:  %2 = mul(reduce_sum(%x), 4)        %4 = div(%2, %accumulated.n)
 * </pre>
 */
public final class SplitMicroBatches {
    private final Graph source;
    private final Dim symbol;
    private final int count;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final ValueMap<BatchRole> roles;
    /** Values that depend on data and on nothing that is learned or drawn. */
    private final boolean[] given;
    /** Integers whose whole is the sum of those of the micro-batches. */
    private final boolean[] counts;

    private final List<Whole> wholes = new ArrayList<>();
    /** Where statistics of a micro-batch are taken. */
    private final Set<Location> normalized = new LinkedHashSet<>();

    /** Outputs that are not shown. */
    private final List<String> omitted = new ArrayList<>();

    private final EffectsOfBatch effects;
    private final CutRefusal refusal;

    /**
     * What is needed of the whole batch though it depends on data alone.
     *
     * @param part of a micro-batch, in the body
     * @param accumulator input of the body
     * @param counts whether parts add up, as whole numbers do, and not their mean is taken
     */
    record Whole(ValueId part, ValueId accumulator, boolean counts) {}

    /** Graphs over the symbol: see {@link dev.remat.compiler.batch.MicroBatches}. */
    public record Split(
            Graph body, Optional<Graph> counted, List<Location> normalized, List<String> omitted, Graph effects) {}

    private SplitMicroBatches(Graph source, String symbol, int count, List<Source> files) {
        this.source = source;
        this.symbol = Dim.symbol(symbol);
        this.count = count;
        this.rewriter = new GraphRewriter(source);
        this.builder = rewriter.target();
        this.roles = new ValueMap<>(source.values().size());
        this.given = new boolean[source.values().size()];
        this.counts = new boolean[source.values().size()];
        this.effects = new EffectsOfBatch(rewriter);
        this.refusal = new CutRefusal(source, roles, files);
    }

    /**
     * @param forward over the symbol, with which the shapes of all data begin
     * @param files that the model was read from, to call things what they are called there; none where that is unknown
     * @throws ModelException if micro-batches would change what is computed (E0501)
     */
    public static Split run(Graph forward, String symbol, int count, List<Source> files) {
        return new SplitMicroBatches(CountTargets.run(forward), symbol, count, files).run();
    }

    private Split run() {
        rewriter.copyInputs();
        for (GraphInput input : source.inputs()) {
            boolean data = input.kind() == InputKind.DATA;
            roles.put(input.value(), data ? new BatchRole.Rows(0, Dim.ONE) : new BatchRole.Free());
            given[input.value().index()] = data;
        }
        source.nodes().forEach(this::split);
        source.outputs().forEach(this::show);
        Graph body = builder.build();
        return new Split(
                body,
                CountWholes.run(body, wholes, count),
                List.copyOf(normalized),
                List.copyOf(omitted),
                effects.build());
    }

    /** Micro-batches average real outputs and add up whole ones; what has rows is nothing to tell of a batch. */
    private void show(GraphOutput output) {
        BatchRole role = roles.get(output.value());
        TensorType type = source.type(output.value());
        ValueId value = rewriter.map(output.value());
        boolean known = role instanceof BatchRole.Mean || role instanceof BatchRole.Free;
        if (known && (type.dtype().isFloat() || counts[output.value().index()])) {
            builder.output(output.name(), value);
        } else if (known && type.dtype().isInteger() && type.rank() == 0) {
            builder.at(Origin.NONE).as(Role.FORWARD);
            ValueId first = builder.compare(Compare.Kind.EQ, Accumulators.microBatch(builder), 0);
            builder.output(output.name(), builder.select(first, value, builder.filled(0, type)));
        } else {
            omitted.add(output.name());
        }
    }

    private void split(Node node) {
        List<BatchRole> found = roles(node);
        if (node.role() == Role.UPDATE) {
            effects.move(node);
            for (ValueId result : node.results()) {
                roles.put(result, new BatchRole.Free());
            }
            return;
        }
        if (found.contains(new BatchRole.Own())) {
            normalized.add(node.origin().location());
        }
        Op op = switch (node.op()) {
            case RandomOp random -> drawn(random, node, found.getFirst());
            case Constant constant -> ofWhole(constant);
            case Op other -> other;
        };
        rewriter.copy(node, op, source.types(node.results()));
        boolean known = !(op instanceof SeedOp) && node.operands().stream().allMatch(operand -> given[operand.index()]);
        boolean counted = node.operands().stream().anyMatch(operand -> counts[operand.index()]);
        for (int i = 0; i < node.results().size(); i++) {
            ValueId result = node.results().get(i);
            boolean adds = found.get(i) instanceof BatchRole.Sum;
            boolean whole = (adds || counted) && source.type(result).dtype().isInteger();
            counts[result.index()] = whole;
            given[result.index()] = known;
            if ((adds || counted) && !whole) {
                builder.at(node.origin()).as(node.role());
                rewriter.replace(result, builder.scale(rewriter.map(result), count));
            }
            roles.put(result, adds ? new BatchRole.Mean() : found.get(i));
        }
    }

    /** Roles of the results, for which operands may have to be known of the whole batch. */
    private List<BatchRole> roles(Node node) {
        while (true) {
            try {
                for (ValueId operand : node.operands()) {
                    if (counts[operand.index()] && !addsUp(node.op()) && !takeWhole(operand)) {
                        throw refusal.of(node, "reads a number of rows of the batch");
                    }
                }
                List<BatchRole> operands =
                        node.operands().stream().map(roles::get).toList();
                return new BatchOperands(symbol, operands, source.types(node.operands()), source.types(node.results()))
                        .rolesOf(node.op());
            } catch (BatchRoleException e) {
                if (e.mean().isEmpty()
                        || !takeWhole(node.operands().get(e.mean().getAsInt()))) {
                    throw refusal.of(node, e);
                }
            }
        }
    }

    /** Whether of integers that add up the results do, too. */
    private static boolean addsUp(Op op) {
        return op instanceof Cast || op instanceof View;
    }

    /** From here on readers read what a value is for the whole batch, if that can be known beforehand. */
    private boolean takeWhole(ValueId value) {
        if (!given[value.index()]) {
            return false;
        }
        ValueId part = rewriter.map(value);
        ValueId accumulator = Accumulators.of(builder, source.value(value).name(), builder.type(part));
        wholes.add(new Whole(part, accumulator, counts[value.index()]));
        rewriter.replace(value, narrowed(accumulator, builder.type(part).dtype()));
        roles.put(value, new BatchRole.Free());
        given[value.index()] = false;
        counts[value.index()] = false;
        return true;
    }

    private ValueId narrowed(ValueId accumulator, DType dtype) {
        builder.as(Role.FORWARD);
        return builder.cast(accumulator, dtype);
    }

    /** A number of rows is that of the whole batch, of which the symbol is a part from here on. */
    private Op ofWhole(Constant constant) {
        Dim whole = constant.extent().replace(symbol, symbol.times(count));
        return new Constant(constant.factor(), whole, constant.type());
    }

    private Op drawn(RandomOp op, Node node, BatchRole role) {
        if (!(role instanceof BatchRole.Rows(int axis, Dim outer))) {
            return op;
        }
        Shape shape = source.type(node.results().getFirst()).shape();
        Dim runs = new Shape(shape.dims().subList(0, axis)).elements().times(outer);
        Dim block = shape.elements()
                .divideExact(runs)
                .orElseThrow(() -> refusal.of(node, "draws for rows that do not lie in runs of one size"));
        return op.withDrawnRows(new DrawnRows(block, count));
    }
}
