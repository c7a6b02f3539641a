package dev.remat.compiler.ranks;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.ScatterShares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Lets ranks compute micro-batches side by side: in every round each rank has one, and what a micro-batch adds to sums
 * comes from all of them, in the order of micro-batches. Sums that nothing but updates reads are exchanged in buckets.
 * Where these are large they are kept in shares: each rank adds up its own, and all are gathered before the updates.
 * Others are added up by every rank, statistics of batch norms out of one exchange.
 *
 * <pre>
 * before: %5 = accumulate(%accumulated.w, %grad.w, %micro_batch)
 * after:  %4 = scatter_shares{ranks=2}(%grad.w)   %5 = accumulate(%accumulated.w, %4, %micro_batch)
 * </pre>
 *
 * What becomes of updates, {@link ExchangeUpdates} says.
 */
public final class ExchangePieces {
    private final int ranks;
    private final SharedBuckets buckets;

    private ExchangePieces(SharedBuckets buckets) {
        this.ranks = buckets.ranks();
        this.buckets = buckets;
    }

    /**
     * @param ranks at least 2; they divide the number of micro-batches
     * @param shares what of the state is shared
     */
    public static RoundGraphs run(RoundGraphs rounds, int ranks, Shares shares) {
        return run(rounds, ranks, shares, _ -> 0);
    }

    /**
     * The same of a model that is cut into parts, of which each exchanges what is its own.
     *
     * @param part of a sum, by the name of its accumulator
     */
    public static RoundGraphs run(RoundGraphs rounds, int ranks, Shares shares, ToIntFunction<String> part) {
        SharedBuckets buckets = SharedBuckets.of(rounds, ranks, shares, part);
        ExchangePieces pass = new ExchangePieces(buckets);
        return new RoundGraphs(
                rounds.counted().map(pass::exchanged),
                pass.exchanged(rounds.body()),
                rounds.updates().map(updates -> ExchangeUpdates.run(updates, buckets)));
    }

    /** With the values of all ranks in place of a rank's own. */
    private Graph exchanged(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        GatherParameters parameters = new GatherParameters(rewriter, buckets);
        List<GatherStatistics> statistics = GatherStatistics.byPart(rewriter, buckets);
        Map<Integer, ValueId> kept = copyInputs(rewriter, parameters);
        Optional<Sent> sent = Optional.empty();
        for (Node node : graph.nodes()) {
            if (statistics.stream().anyMatch(each -> each.takes(node))) {
                continue;
            }
            if (node.op() instanceof MicroBatchUpdate update) {
                Optional<Bucket> bucket =
                        buckets.find(graph.value(node.operands().getFirst()).name());
                if (bucket.isEmpty()) {
                    addGathered(rewriter, node, update);
                } else if (bucket.get().members().getLast().node().equals(node)) {
                    Sent next = send(rewriter, bucket.get());
                    sent.ifPresent(
                            each -> add(rewriter, each, kept.get(each.bucket().number())));
                    sent = Optional.of(next);
                    statistics.forEach(GatherStatistics::combine);
                }
            } else if (!parameters.takes(node)) {
                rewriter.copy(node);
            }
        }
        statistics.forEach(GatherStatistics::combine);
        sent.ifPresent(each -> add(rewriter, each, kept.get(each.bucket().number())));
        return RemoveDeadNodes.run(rewriter.complete());
    }

    /** Inputs, of which accumulators are what is kept of their bucket: that, by its number. */
    private Map<Integer, ValueId> copyInputs(GraphRewriter rewriter, GatherParameters parameters) {
        Graph graph = rewriter.source();
        Map<Integer, ValueId> kept = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            Optional<Bucket> bucket = buckets.find(graph.value(input.value()).name());
            if (bucket.isPresent()) {
                Bucket of = bucket.get();
                kept.computeIfAbsent(of.number(), _ -> of.input(rewriter, input, ranks));
            } else if (!parameters.takes(input)) {
                rewriter.copyInput(input, graph.type(input.value()));
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
        List<ValueId> flat = new ArrayList<>();
        for (int k = 0; k < bucket.members().size(); k++) {
            Bucket.Member member = bucket.members().get(k);
            ValueId value = builder.reshape(
                    rewriter.map(member.value()), Shape.of(member.type().elements()));
            long gap = bucket.gapBehind(k);
            Pad filled = new Pad(List.of(Dim.ZERO), List.of(Dim.of(gap)), 0);
            flat.add(gap == 0 ? value : builder.apply(filled, value));
        }
        ValueId joined = builder.emit(new Concat(0), flat).getFirst();
        builder.rename(joined, bucket.summed());
        return joined;
    }
}
