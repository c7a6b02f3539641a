package dev.remat.compiler.ranks;

import dev.remat.compiler.ranks.Bucket.Member;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** The sums that ranks exchange, and what of the state they hold in the same shares. */
final class SharedBuckets {
    private static final String OWN = "own.";

    private final int ranks;
    private final ToIntFunction<String> part;
    /** By the name of an accumulator. */
    private final Map<String, Bucket> buckets = new LinkedHashMap<>();
    /** The same of updates. */
    private final Map<String, ShareableUpdate> shareable;

    /** By the name of a parameter, the accumulator of its gradient, where ranks have shares of both. */
    private final Map<String, String> sharedParameters = new LinkedHashMap<>();

    private SharedBuckets(int ranks, ToIntFunction<String> part, Map<String, ShareableUpdate> shareable) {
        this.ranks = ranks;
        this.part = part;
        this.shareable = shareable;
    }

    /** @param part of the model that a sum is of, by the name of its accumulator */
    static SharedBuckets of(RoundGraphs rounds, int ranks, Shares shares, ToIntFunction<String> part) {
        Sharding sharding = shares.level();
        Optional<Graph> updates = rounds.updates().filter(_ -> sharding.sharesOptimizer());
        SharedBuckets shared =
                new SharedBuckets(ranks, part, updates.map(ShareableUpdate::all).orElse(Collections.emptyMap()));
        Map<String, Object> kinds = new LinkedHashMap<>();
        shared.shareable.forEach((sum, update) -> {
            String parameter = updates.orElseThrow().value(update.parameter()).name();
            kinds.put(
                    sum,
                    sharding.sharesParameters()
                            ? List.of(update.rule(), narrow(rounds.body(), parameter))
                            : update.rule());
        });
        for (Bucket bucket : Bucket.all(
                rounds.body(),
                ranks,
                sum -> List.of(part.applyAsInt(sum), Optional.ofNullable(kinds.get(sum))),
                shared::isNormed)) {
            bucket.members().forEach(member -> shared.buckets.put(member.accumulator(), bucket));
            if (sharding.sharesParameters() && shared.isUpdatedInShares(bucket)) {
                List<String> parameters = bucket.members().stream()
                        .map(member -> shared.shareable.get(member.accumulator()))
                        .map(update ->
                                updates.orElseThrow().value(update.parameter()).name())
                        .toList();
                if (shares.sharesParameters(name(bucket, parameters.getFirst(), ""))) {
                    for (int k = 0; k < parameters.size(); k++) {
                        shared.sharedParameters.put(
                                parameters.get(k), bucket.members().get(k).accumulator());
                    }
                }
            }
        }
        return shared;
    }

    /** The narrower dtype that all readers of a parameter cast it to, if there is one. */
    private static Optional<DType> narrow(Graph body, String parameter) {
        return body.inputs().stream()
                .map(GraphInput::value)
                .filter(input -> body.value(input).name().equals(parameter))
                .findFirst()
                .flatMap(input -> narrow(body, body.consumers(), input));
    }

    private static Optional<DType> narrow(Graph graph, ValueMap<List<NodeId>> consumers, ValueId parameter) {
        List<Optional<DType>> read = consumers.get(parameter).stream()
                .map(node -> narrowed(graph, graph.node(node), parameter))
                .distinct()
                .toList();
        return read.size() == 1 ? read.getFirst() : Optional.empty();
    }

    private static Optional<DType> narrowed(Graph graph, Node reader, ValueId parameter) {
        if (!(reader.op() instanceof Cast)) {
            return Optional.empty();
        }
        DType dtype = graph.type(reader.results().getFirst()).dtype();
        boolean narrower =
                dtype.isFloat() && dtype.bytes() < graph.type(parameter).dtype().bytes();
        return narrower ? Optional.of(dtype) : Optional.empty();
    }

    private boolean isNormed(String accumulator) {
        return Optional.ofNullable(shareable.get(accumulator))
                .map(update -> update.rule().normed())
                .orElse(false);
    }

    int ranks() {
        return ranks;
    }

    /** The part of the model that a sum is of, by the name of its accumulator. */
    int part(String accumulator) {
        return part.applyAsInt(accumulator);
    }

    /** Whether ranks have the parameters of a bucket that is updated in shares in shares, too. */
    boolean sharesParameters(Bucket bucket) {
        return sharedParameters.containsValue(bucket.members().getFirst().accumulator());
    }

    /** In the order in which they are begun. */
    Stream<Bucket> all() {
        return buckets.values().stream().distinct();
    }

    /** That of an accumulator. */
    Optional<Bucket> find(String accumulator) {
        return Optional.ofNullable(buckets.get(accumulator));
    }

    /** That of the gradient of a parameter of which ranks have shares. */
    Optional<Bucket> ofParameter(String name) {
        return Optional.ofNullable(sharedParameters.get(name)).map(buckets::get);
    }

    /** The part of a bucket that is of a parameter of which ranks have shares. */
    Member member(String parameter) {
        return ofParameter(parameter).orElseThrow().member(sharedParameters.get(parameter));
    }

    /** The narrower dtype that all readers of what is in a bucket cast it to in a graph, if there is one. */
    Optional<DType> narrow(Graph graph, Bucket bucket) {
        List<Optional<DType>> read = parameters(bucket).stream()
                .map(parameter -> narrow(graph, parameter))
                .distinct()
                .toList();
        return read.size() == 1 ? read.getFirst() : Optional.empty();
    }

    boolean isUpdatedInShares(Bucket bucket) {
        return bucket.isShared(ranks)
                && shareable.containsKey(bucket.members().getFirst().accumulator());
    }

    /** Of the parameters of a bucket, in their order. */
    List<ShareableUpdate> updates(Bucket bucket) {
        return bucket.members().stream()
                .map(member -> shareable.get(member.accumulator()))
                .toList();
    }

    /** Names of the parameters of a bucket of which ranks have shares, in their order. */
    List<String> parameters(Bucket bucket) {
        // They were found bucket by bucket, in that order.
        return sharedParameters.entrySet().stream()
                .filter(each -> bucket.equals(buckets.get(each.getValue())))
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * An input that is a rank's share of tensors as large as the parameters of a bucket.
     *
     * @param wholes in their order
     * @param kind what their names have in front of those of the parameters
     */
    ValueId own(GraphRewriter rewriter, Bucket bucket, List<ValueId> wholes, String kind) {
        Graph graph = rewriter.source();
        List<ShareOf.Part> parts = new ArrayList<>();
        for (int k = 0; k < wholes.size(); k++) {
            Value value = graph.value(wholes.get(k));
            GraphInput whole = input(graph, value);
            long first = bucket.members().get(k).first();
            parts.add(new ShareOf.Part(value.name(), value.type(), whole.initializer(), whole.location(), first));
        }
        Value like = graph.value(wholes.getFirst());
        String name = name(bucket, like.name(), kind);
        long elements = ScatterShares.share(bucket.elements(), ranks);
        TensorType type = TensorType.of(like.type().dtype(), elements);
        ValueId share = rewriter.target().input(name, type, input(graph, like).kind(), new ShareOf(parts));
        rewriter.target().carry(like, share);
        return share;
    }

    /** Of a rank's share of tensors of which {@code first} is the first. */
    private static String name(Bucket bucket, String first, String kind) {
        return OWN + kind + (bucket.joins() ? bucket.summed() : first.substring(kind.length()));
    }

    private static GraphInput input(Graph graph, Value value) {
        return graph.inputs().get(((Value.Input) value.definition()).index());
    }

    /** One of the tensors of a bucket that lie one behind the other. */
    static ValueId cut(GraphBuilder builder, ValueId all, Member member) {
        TensorType type = member.type();
        if (builder.type(all).shape().equals(type.shape())) {
            return all;
        }
        Slice slice = new Slice(List.of(Dim.of(member.first())), List.of(Dim.of(type.elements())));
        return builder.reshape(builder.apply(slice, all), type.shape());
    }
}
