package dev.remat.compiler.ranks;

import dev.remat.compiler.ranks.ShareableUpdate.Rule;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.OwnShare;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What follows once the sums of a step are complete, of which a rank has shares. Where updates are shared, each rank
 * keeps the optimizer's state of its share alone and updates that, and parameters are gathered. Otherwise, sums are
 * gathered in front of what first reads them.
 *
 * <pre>
 * before: %w', %m' = update(%w, %accumulated.w, %m, %rate)
 * after:  %1 = own_share{ranks=2}(%w)   %2, %own.m' = update(%1, %accumulated.w, %own.m, %rate)
 *         %3 = gather_shares{ranks=2}(%2)  %4 = reshape(%3)  %5 = slice(%4)  %w' = assign(%w, %5)
 *
 * before: %9 = reads(%accumulated.w)
 * after:  %6 = gather_shares{ranks=2}(%accumulated.w)  %7 = reshape(%6)  %8 = slice(%7)  %9 = reads(%8)
 * </pre>
 */
final class ExchangeUpdates {
    /** A bucket whose parameters are on their way. */
    private record Sent(Bucket bucket, ValueId all) {}

    private final GraphRewriter rewriter;
    private final Graph graph;
    private final GraphBuilder builder;
    private final int ranks;
    private final SharedBuckets buckets;
    private final FoldShares folds;
    /** What a rank keeps of the sums of buckets, by their numbers. */
    private final Map<Integer, ValueId> kept = new LinkedHashMap<>();

    /** The same in the dtype of gradients, of those that are updated in shares. */
    private final Map<Integer, ValueId> gradients = new LinkedHashMap<>();

    private final Map<Integer, ValueId> wholes = new LinkedHashMap<>();
    /** Inputs of which a rank has a share, by the first of them. */
    private final Map<ValueId, ValueId> own = new LinkedHashMap<>();
    /** What has become of the share of parameters, by the numbers of buckets. */
    private final Map<Integer, ValueId> updated = new LinkedHashMap<>();
    /** Nodes that are part of an update that is shared. */
    private final Set<Integer> replaced = new TreeSet<>();
    /** Buckets by the node behind whose operands their update goes. */
    private final Map<Integer, Bucket> updatedAt = new LinkedHashMap<>();

    private final Map<Integer, Bucket> averagedAt = new LinkedHashMap<>();
    private Optional<Sent> sent = Optional.empty();

    private ExchangeUpdates(Graph updates, SharedBuckets buckets) {
        this.rewriter = new GraphRewriter(updates);
        this.graph = updates;
        this.builder = rewriter.target();
        this.ranks = buckets.ranks();
        this.buckets = buckets;
        this.folds = new FoldShares(rewriter, ranks);
    }

    static Graph run(Graph updates, SharedBuckets buckets) {
        return new ExchangeUpdates(updates, buckets).run();
    }

    private Graph run() {
        buckets.all().filter(buckets::isUpdatedInShares).forEach(this::find);
        copyInputs();
        buckets.all().filter(buckets::isUpdatedInShares).forEach(this::takeGradients);
        for (Node node : graph.nodes()) {
            int number = node.id().index();
            if (folds.takes(node)) {
                gather(node);
                folds.run(node);
            } else if (!replaced.contains(number)) {
                gather(node);
                rewriter.copy(node);
            }
            if (updatedAt.containsKey(number)) {
                update(updatedAt.get(number));
            }
            if (averagedAt.containsKey(number)) {
                average(averagedAt.get(number));
            }
        }
        sent.ifPresent(this::assign);
        return rewriter.complete();
    }

    private ShareableUpdate first(Bucket bucket) {
        return buckets.updates(bucket).getFirst();
    }

    /** Which nodes an update in shares takes the place of: the last of each kind. */
    private void find(Bucket bucket) {
        List<ShareableUpdate> updates = buckets.updates(bucket);
        replace(updatedAt, bucket, updates.stream().map(ShareableUpdate::update));
        replace(averagedAt, bucket, updates.stream().flatMap(update -> update.average().stream()));
        ValueMap<List<NodeId>> consumers = graph.consumers();
        updates.stream()
                .flatMap(update -> update.cast().stream())
                .filter(cast -> consumers.get(cast.results().getFirst()).stream()
                        .allMatch(reader -> replaced.contains(reader.index())
                                || FoldShares.folds(graph.node(reader).op())))
                .forEach(cast -> replaced.add(cast.id().index()));
        folds.add(bucket, updates.stream().map(ShareableUpdate::gradient).toList());
    }

    private void replace(Map<Integer, Bucket> at, Bucket bucket, Stream<Node> nodes) {
        List<Integer> numbers = nodes.map(node -> node.id().index()).toList();
        replaced.addAll(numbers);
        numbers.stream().max(Integer::compare).ifPresent(last -> at.put(last, bucket));
    }

    private void copyInputs() {
        Map<ValueId, Bucket> firsts = new LinkedHashMap<>();
        Set<Integer> others = new TreeSet<>();
        for (Bucket bucket : new LinkedHashSet<>(updatedAt.values())) {
            states(bucket).forEach(states -> {
                firsts.put(states.getFirst(), bucket);
                states.forEach(state -> others.add(state.index()));
            });
        }
        for (GraphInput input : graph.inputs()) {
            Optional<Bucket> bucket = buckets.find(graph.value(input.value()).name());
            if (firsts.containsKey(input.value())) {
                Bucket of = firsts.get(input.value());
                states(of).filter(states -> states.contains(input.value())).forEach(states -> {
                    own.put(states.getFirst(), buckets.own(rewriter, of, states, kind(of, states.getFirst())));
                });
            } else if (bucket.isPresent()) {
                kept.computeIfAbsent(bucket.get().number(), _ -> bucket.get().input(rewriter, input, ranks));
            } else if (!others.contains(input.value().index())) {
                rewriter.copyInput(input, graph.type(input.value()));
            }
        }
    }

    /** What ranks have in shares beside the sums of a bucket, by kinds: of each parameter in their order. */
    private Stream<List<ValueId>> states(Bucket bucket) {
        List<ShareableUpdate> updates = buckets.updates(bucket);
        Stream<Integer> parameters = buckets.sharesParameters(bucket) ? Stream.of(0) : Stream.empty();
        Stream<List<ValueId>> ofUpdates = Stream.concat(parameters, first(bucket).states().stream())
                .map(operand -> updates.stream()
                        .map(update -> update.update().operands().get(operand))
                        .toList());
        Stream<List<ValueId>> averages = first(bucket).average().stream()
                .map(_ -> updates.stream()
                        .map(update -> update.average().orElseThrow().operands().getFirst())
                        .toList());
        return Stream.concat(ofUpdates, averages);
    }

    /** The share of the sums in the dtype that parameters are updated by. */
    private void takeGradients(Bucket bucket) {
        builder.at(first(bucket).update().origin()).as(Role.BACKWARD);
        ValueId gradient =
                builder.cast(kept.get(bucket.number()), first(bucket).rule().gradient());
        gradients.put(bucket.number(), gradient);
        folds.have(bucket, gradient);
    }

    /** What its name has in front of that of its parameter. */
    private String kind(Bucket bucket, ValueId state) {
        String name = graph.value(state).name();
        return name.substring(
                0, name.length() - graph.value(first(bucket).parameter()).name().length());
    }

    /** Each rank updates its share; parameters that all have whole take what all have made of theirs. */
    private void update(Bucket bucket) {
        ShareableUpdate first = first(bucket);
        Rule rule = first.rule();
        builder.at(first.update().origin());
        ValueId share = Optional.ofNullable(own.get(first.parameter())).orElseGet(() -> taken(bucket));
        builder.as(Role.BACKWARD);
        List<ValueId> operands = new ArrayList<>(List.of(share, gradients.get(bucket.number())));
        for (ValueId operand :
                first.update().operands().subList(2, first.update().operands().size())) {
            operands.add(rewriter.isMapped(operand) ? rewriter.map(operand) : own.get(operand));
        }
        builder.as(Role.UPDATE);
        ValueId next = builder.emit(rule.op(), operands).getFirst();
        updated.put(bucket.number(), next);
        if (!own.containsKey(first.parameter())) {
            gather(bucket, share, next);
        }
    }

    /** A rank's share of parameters, computed once, for it is changed in its place. */
    private ValueId taken(Bucket bucket) {
        builder.as(Role.UPDATE);
        List<ValueId> parameters = buckets.updates(bucket).stream()
                .map(update -> rewriter.map(update.parameter()))
                .toList();
        ValueId share =
                builder.emit(new OwnShare(ranks, bucket.aligned()), parameters).getFirst();
        builder.rename(share, "own." + bucket.summed());
        return share;
    }

    private void gather(Bucket bucket, ValueId share, ValueId next) {
        builder.as(Role.BACKWARD);
        ValueId all = builder.apply(new GatherShares(ranks), next);
        builder.rename(all, "gathered." + builder.value(share).name());
        // They come while the next ones are updated.
        sent.ifPresent(this::assign);
        sent = Optional.of(new Sent(bucket, all));
    }

    private void assign(Sent gathered) {
        Bucket bucket = gathered.bucket();
        builder.at(first(bucket).update().origin()).as(Role.BACKWARD);
        ValueId flat = builder.reshape(
                gathered.all(), Shape.of(builder.type(gathered.all()).elements()));
        List<ShareableUpdate> updates = buckets.updates(bucket);
        for (int k = 0; k < updates.size(); k++) {
            ValueId value = SharedBuckets.cut(builder, flat, bucket.members().get(k));
            ValueId parameter = rewriter.map(updates.get(k).parameter());
            builder.as(Role.UPDATE).emit(new Assign(), List.of(parameter, value));
            builder.as(Role.BACKWARD);
        }
    }

    private void average(Bucket bucket) {
        Node average = first(bucket).average().orElseThrow();
        builder.at(average.origin()).as(Role.UPDATE);
        List<ValueId> operands =
                new ArrayList<>(List.of(own.get(average.operands().getFirst()), updated.get(bucket.number())));
        average.operands().stream().skip(2).map(rewriter::map).forEach(operands::add);
        builder.emit(average.op(), operands);
    }

    /** Puts sums together that a node reads whole. */
    private void gather(Node node) {
        builder.at(node.origin()).as(Role.BACKWARD);
        for (ValueId operand : node.operands()) {
            String name = graph.value(operand).name();
            boolean comes = !rewriter.isMapped(operand) && !(folds.takes(node) && folds.isShared(operand));
            buckets.find(name).filter(_ -> comes).ifPresent(bucket -> {
                ValueId whole = whole(bucket);
                // The next one comes while the updates of this one run.
                buckets.all()
                        .filter(next -> next.number() == bucket.number() + 1)
                        .filter(next -> kept.containsKey(next.number()) && !buckets.isUpdatedInShares(next))
                        .forEach(this::whole);
                rewriter.replace(operand, SharedBuckets.cut(builder, whole, bucket.member(name)));
            });
        }
    }

    /** All sums of a bucket, of which this rank has its share; the sums themselves if they are whole. */
    private ValueId whole(Bucket bucket) {
        return wholes.computeIfAbsent(bucket.number(), number -> {
            ValueId share = kept.get(number);
            if (!bucket.isShared(ranks)) {
                return share;
            }
            ValueId rows = builder.apply(new GatherShares(ranks), share);
            builder.rename(rows, "gathered." + bucket.summed());
            builder.mark(rows, Mark.GRADIENT);
            return builder.reshape(rows, Shape.of(builder.type(rows).elements()));
        });
    }
}
