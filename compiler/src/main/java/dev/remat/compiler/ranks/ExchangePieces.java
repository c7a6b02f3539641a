package dev.remat.compiler.ranks;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Lets ranks compute micro-batches side by side: in every round each rank has one, and what a micro-batch adds to sums
 * comes from all of them, in the order of micro-batches. A large sum is kept in shares: each rank adds up its own, and
 * all are gathered before the updates. Others are added up by every rank.
 *
 * <pre>
 * before: %5 = accumulate(%accumulated.w, %grad.w, %micro_batch)
 * after:  %4 = scatter_shares{ranks=2}(%grad.w)   %5 = accumulate(%accumulated.w, %4, %micro_batch)
 *
 * before: %9 = reads(%accumulated.w)
 * after:  %6 = gather_shares{ranks=2}(%accumulated.w)  %7 = reshape(%6)  %8 = slice(%7)  %9 = reads(%8)
 * </pre>
 */
public final class ExchangePieces {
    /** Bytes from which on a sum is kept in shares. */
    private static final long SHARED_FROM = 64 << 10;

    private final int ranks;
    /** Names of accumulators that are kept in shares. */
    private final Set<String> shared = new LinkedHashSet<>();

    private ExchangePieces(int ranks) {
        this.ranks = ranks;
    }

    /** @param ranks at least 2; they divide the number of micro-batches */
    public static RoundGraphs run(RoundGraphs rounds, int ranks) {
        return new ExchangePieces(ranks).run(rounds);
    }

    private RoundGraphs run(RoundGraphs rounds) {
        Optional<Graph> counted = rounds.counted().map(this::exchanged);
        share(rounds.body());
        return new RoundGraphs(
                counted, exchanged(rounds.body()), rounds.updates().map(this::gathered));
    }

    /** Shares what is large and what nothing but updates reads. */
    private void share(Graph body) {
        ValueMap<List<NodeId>> consumers = body.consumers();
        List<ValueId> outputs = body.outputs().stream().map(GraphOutput::value).toList();
        for (Node node : body.nodes()) {
            if (node.op() instanceof Accumulate) {
                ValueId sum = node.results().getFirst();
                boolean read = outputs.contains(sum) || !consumers.get(sum).isEmpty();
                if (!read && body.type(sum).bytes() >= SHARED_FROM) {
                    shared.add(body.value(node.operands().getFirst()).name());
                }
            }
        }
    }

    private boolean isShared(Graph graph, ValueId value) {
        return shared.contains(graph.value(value).name());
    }

    private TensorType share(TensorType whole) {
        return whole.with(Shape.of(ScatterShares.share(whole.elements(), ranks)));
    }

    /** With the values of all ranks in place of a rank's own. */
    private Graph exchanged(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        for (GraphInput input : graph.inputs()) {
            TensorType type = graph.type(input.value());
            rewriter.copyInput(input, isShared(graph, input.value()) ? share(type) : type);
        }
        for (Node node : graph.nodes()) {
            if (node.op() instanceof MicroBatchUpdate update) {
                add(rewriter, node, update);
            } else {
                rewriter.copy(node);
            }
        }
        rewriter.copyOutputs();
        return RemoveDeadNodes.run(rewriter.build());
    }

    private void add(GraphRewriter rewriter, Node node, MicroBatchUpdate update) {
        GraphBuilder builder = rewriter.target();
        int sums = update.writes().size();
        List<ValueId> operands = new ArrayList<>(rewriter.map(node.operands()));
        for (int value = sums; value < MicroBatchUpdate.numberIndex(operands); value++) {
            ValueId accumulator = node.operands().get(value - sums);
            ValueId narrow = beforeWidening(rewriter.source(), node.operands().get(value));
            boolean scatters = isShared(rewriter.source(), accumulator);
            Exchange exchange = scatters ? new ScatterShares(ranks) : new GatherShares(ranks);
            builder.at(node.origin()).as(Role.BACKWARD);
            ValueId all = builder.apply(exchange, rewriter.map(narrow));
            builder.rename(all, (scatters ? "scattered." : "gathered.") + summed(rewriter.source(), accumulator));
            operands.set(value, all);
        }
        builder.as(node.role());
        List<ValueId> results = builder.append(
                update,
                operands,
                update.infer(operands.stream().map(builder::type).toList()),
                node.results().stream()
                        .map(result -> rewriter.source().value(result).name())
                        .toList(),
                Optional.empty());
        for (int result = 0; result < results.size(); result++) {
            rewriter.replace(node.results().get(result), results.get(result));
        }
    }

    /** Half as many bytes say what is widened behind them, too. */
    private static ValueId beforeWidening(Graph graph, ValueId value) {
        Optional<Node> producer = graph.value(value).producer().map(graph::node);
        if (producer.isPresent() && producer.get().op() instanceof Cast) {
            ValueId narrow = producer.get().operands().getFirst();
            boolean widens = graph.type(narrow).dtype().isFloat()
                    && graph.type(narrow).dtype().accumulator()
                            == graph.type(value).dtype();
            return widens ? narrow : value;
        }
        return value;
    }

    /** With sums put together again, each in front of what first reads it. */
    private Graph gathered(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        Map<ValueId, ValueId> shares = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            ValueId value = input.value();
            if (input.kind() == InputKind.ACCUMULATOR && isShared(graph, value)) {
                shares.put(value, rewriter.copyInput(input, share(graph.type(value))));
            } else {
                rewriter.copyInput(input, graph.type(value));
            }
        }
        for (Node node : graph.nodes()) {
            for (ValueId operand : node.operands()) {
                Optional.ofNullable(shares.remove(operand))
                        .ifPresent(share -> rewriter.replace(operand, whole(rewriter, node, operand, share)));
            }
            rewriter.copy(node);
        }
        rewriter.copyOutputs();
        return rewriter.build();
    }

    private ValueId whole(GraphRewriter rewriter, Node reader, ValueId sum, ValueId share) {
        GraphBuilder builder = rewriter.target();
        TensorType type = rewriter.source().type(sum);
        builder.at(reader.origin()).as(Role.BACKWARD);
        ValueId rows = builder.apply(new GatherShares(ranks), share);
        builder.rename(rows, "gathered." + summed(rewriter.source(), sum));
        builder.mark(rows, Mark.GRADIENT);
        ValueId flat = builder.reshape(rows, Shape.of(builder.type(rows).elements()));
        ValueId first = builder.apply(new Slice(List.of(Dim.ZERO), List.of(Dim.of(type.elements()))), flat);
        return builder.reshape(first, type.shape());
    }

    private static String summed(Graph graph, ValueId accumulator) {
        return Accumulators.summed(graph.value(accumulator).name());
    }
}
