package dev.remat.compiler.ranks;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.ranks.Bucket.Member;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lets ranks compute micro-batches side by side: in every round each rank has one, and what a micro-batch adds to sums
 * comes from all of them, in the order of micro-batches. Sums that nothing but updates reads are exchanged in buckets.
 * Where these are large they are kept in shares: each rank adds up its own, and all are gathered before the updates.
 * Others are added up by every rank.
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
    private final int ranks;
    /** By the name of an accumulator. */
    private final Map<String, Bucket> buckets = new LinkedHashMap<>();

    private ExchangePieces(int ranks) {
        this.ranks = ranks;
    }

    /** @param ranks at least 2; they divide the number of micro-batches */
    public static RoundGraphs run(RoundGraphs rounds, int ranks) {
        return new ExchangePieces(ranks).run(rounds);
    }

    private RoundGraphs run(RoundGraphs rounds) {
        Optional<Graph> counted = rounds.counted().map(this::exchanged);
        for (Bucket bucket : Bucket.all(rounds.body(), ranks)) {
            bucket.members().forEach(member -> buckets.put(member.accumulator(), bucket));
        }
        return new RoundGraphs(
                counted, exchanged(rounds.body()), rounds.updates().map(this::gathered));
    }

    /** With the values of all ranks in place of a rank's own. */
    private Graph exchanged(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        Map<Integer, ValueId> kept = copyInputs(rewriter);
        Optional<Sent> sent = Optional.empty();
        for (Node node : graph.nodes()) {
            if (node.op() instanceof MicroBatchUpdate update) {
                Bucket bucket =
                        buckets.get(graph.value(node.operands().getFirst()).name());
                if (bucket == null) {
                    addGathered(rewriter, node, update);
                } else if (bucket.members().getLast().node().equals(node)) {
                    Sent next = send(rewriter, bucket);
                    sent.ifPresent(
                            each -> add(rewriter, each, kept.get(each.bucket().number())));
                    sent = Optional.of(next);
                }
            } else {
                rewriter.copy(node);
            }
        }
        sent.ifPresent(each -> add(rewriter, each, kept.get(each.bucket().number())));
        rewriter.copyOutputs();
        return RemoveDeadNodes.run(rewriter.build());
    }

    /** Inputs, of which accumulators are what is kept of their bucket: that, by its number. */
    private Map<Integer, ValueId> copyInputs(GraphRewriter rewriter) {
        Graph graph = rewriter.source();
        Map<Integer, ValueId> kept = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            Bucket bucket = buckets.get(graph.value(input.value()).name());
            if (bucket == null) {
                rewriter.copyInput(input, graph.type(input.value()));
            } else if (!kept.containsKey(bucket.number())) {
                ValueId sums = rewriter.target().input(input, bucket.accumulator(), bucket.kept(ranks));
                rewriter.target().carry(graph.value(input.value()), sums);
                kept.put(bucket.number(), sums);
            }
        }
        return kept;
    }

    /** Gathers what each rank adds to a sum of its own. */
    private void addGathered(GraphRewriter rewriter, Node node, MicroBatchUpdate update) {
        Graph graph = rewriter.source();
        GraphBuilder builder = rewriter.target();
        int sums = update.writes().size();
        List<ValueId> operands = new ArrayList<>(rewriter.map(node.operands()));
        builder.at(node.origin()).as(Role.BACKWARD);
        for (int value = sums; value < MicroBatchUpdate.numberIndex(operands); value++) {
            ValueId narrow = Bucket.beforeWidening(graph, node.operands().get(value));
            ValueId all = builder.apply(new GatherShares(ranks), rewriter.map(narrow));
            String accumulator = graph.value(node.operands().get(value - sums)).name();
            builder.rename(all, "gathered." + Accumulators.summed(accumulator));
            operands.set(value, all);
        }
        builder.as(node.role());
        List<String> names = node.results().stream()
                .map(result -> graph.value(result).name())
                .toList();
        List<ValueId> results = builder.append(update, operands, graph.types(node.results()), names, Optional.empty());
        for (int result = 0; result < results.size(); result++) {
            rewriter.replace(node.results().get(result), results.get(result));
        }
    }

    /**
     * A bucket on its way.
     *
     * @param own what this rank has sent
     * @param all what comes from all
     */
    private record Sent(Bucket bucket, ValueId own, ValueId all) {}

    /** Sends a bucket when the last of its sums has been computed. */
    private Sent send(GraphRewriter rewriter, Bucket bucket) {
        GraphBuilder builder = rewriter.target();
        builder.at(bucket.members().getLast().node().origin()).as(Role.BACKWARD);
        ValueId own = bucket.joins()
                ? joined(rewriter, bucket)
                : rewriter.map(bucket.members().getFirst().value());
        boolean scatters = bucket.isShared(ranks);
        Exchange exchange = scatters ? new ScatterShares(ranks) : new GatherShares(ranks);
        ValueId all = builder.apply(exchange, own);
        builder.rename(all, (scatters ? "scattered." : "gathered.") + bucket.summed());
        return new Sent(bucket, own, all);
    }

    /** Adds what has come, once the next bucket is on its way: kernels in between need not wait for it. */
    private static void add(GraphRewriter rewriter, Sent sent, ValueId sums) {
        GraphBuilder builder = rewriter.target();
        Node last = sent.bucket().members().getLast().node();
        builder.at(last.origin()).as(Role.UPDATE);
        ValueId number = rewriter.map(last.operands().get(MicroBatchUpdate.numberIndex(last.operands())));
        ValueId next = builder.apply(new Accumulate(), sums, sent.all(), sent.own(), number);
        String name = rewriter.source().value(last.results().getFirst()).name();
        builder.rename(next, name);
    }

    private ValueId joined(GraphRewriter rewriter, Bucket bucket) {
        GraphBuilder builder = rewriter.target();
        List<ValueId> flat = bucket.members().stream()
                .map(member -> builder.reshape(
                        rewriter.map(member.value()), Shape.of(member.type().elements())))
                .toList();
        ValueId joined = builder.emit(new Concat(0), flat).getFirst();
        builder.rename(joined, bucket.summed());
        return joined;
    }

    /** With sums put together again, each in front of what first reads it. */
    private Graph gathered(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        Map<Integer, ValueId> kept = copyInputs(rewriter);
        Map<Integer, ValueId> wholes = new LinkedHashMap<>();
        for (Node node : graph.nodes()) {
            rewriter.target().at(node.origin()).as(Role.BACKWARD);
            for (ValueId operand : node.operands()) {
                Bucket bucket = buckets.get(graph.value(operand).name());
                if (bucket != null && !rewriter.isMapped(operand)) {
                    // The next one comes while the updates of this one run.
                    for (int number = bucket.number(); number <= bucket.number() + 1; number++) {
                        if (kept.containsKey(number)) {
                            wholes.computeIfAbsent(number, each -> whole(rewriter.target(), each, kept.get(each)));
                        }
                    }
                    ValueId whole = wholes.get(bucket.number());
                    rewriter.replace(operand, sum(rewriter, bucket, whole, operand));
                }
            }
            rewriter.copy(node);
        }
        rewriter.copyOutputs();
        return rewriter.build();
    }

    /** All sums of a bucket, of which this rank has its share; the sums themselves if they are whole. */
    private ValueId whole(GraphBuilder builder, int number, ValueId kept) {
        Bucket bucket = buckets.values().stream()
                .filter(each -> each.number() == number)
                .findFirst()
                .orElseThrow();
        if (!bucket.isShared(ranks)) {
            return kept;
        }
        ValueId rows = builder.apply(new GatherShares(ranks), kept);
        builder.rename(rows, "gathered." + bucket.summed());
        builder.mark(rows, Mark.GRADIENT);
        return builder.reshape(rows, Shape.of(builder.type(rows).elements()));
    }

    /** One sum of a bucket that is whole. */
    private static ValueId sum(GraphRewriter rewriter, Bucket bucket, ValueId whole, ValueId accumulator) {
        GraphBuilder builder = rewriter.target();
        String name = rewriter.source().value(accumulator).name();
        Member member = bucket.members().stream()
                .filter(each -> each.accumulator().equals(name))
                .findFirst()
                .orElseThrow();
        TensorType type = member.type();
        if (builder.type(whole).equals(type)) {
            return whole;
        }
        Slice slice = new Slice(List.of(Dim.of(member.first())), List.of(Dim.of(type.elements())));
        return builder.reshape(builder.apply(slice, whole), type.shape());
    }
}
