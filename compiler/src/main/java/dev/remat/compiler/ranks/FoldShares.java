package dev.remat.compiler.ranks;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Folds gradients that ranks have in shares without putting them together: each rank folds its own, and all take what
 * all have found. The norm is added up by chunks in the order in which one rank does.
 *
 * <pre>
 * before: %2 = sum_of_squares(%accumulated.w, %1)
 * after:  %3 = chunk_squares(%accumulated.w)  %4 = gather_shares{ranks=2}(%3)  %5 = reshape(%4)
 *         %2 = sum_of_chunks(%5, %1)
 * </pre>
 */
final class FoldShares {
    /** A gradient in a bucket, by its number there. */
    private record Place(Bucket bucket, int member) {}

    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final int ranks;
    private final Map<ValueId, Place> places = new LinkedHashMap<>();
    /** What a rank has of the gradients of a bucket, by its number. */
    private final Map<Integer, ValueId> shares = new LinkedHashMap<>();

    FoldShares(GraphRewriter rewriter, int ranks) {
        this.rewriter = rewriter;
        this.builder = rewriter.target();
        this.ranks = ranks;
    }

    static boolean folds(Op op) {
        return op instanceof SumOfSquares || op instanceof AllFinite;
    }

    /** @param gradients of a bucket, in their order */
    void add(Bucket bucket, List<ValueId> gradients) {
        for (int k = 0; k < gradients.size(); k++) {
            places.put(gradients.get(k), new Place(bucket, k));
        }
    }

    /** @param share what a rank has of the gradients of a bucket */
    void have(Bucket bucket, ValueId share) {
        shares.put(bucket.number(), share);
    }

    boolean isShared(ValueId gradient) {
        return places.containsKey(gradient);
    }

    /** Whether a node folds gradients of which some are shared. */
    boolean takes(Node node) {
        return folds(node.op()) && node.operands().stream().anyMatch(this::isShared);
    }

    /** In place of the node, of whose operands those are there that are not shared. */
    void run(Node node) {
        builder.at(node.origin()).as(Role.BACKWARD);
        ValueId result = node.op() instanceof SumOfSquares squares ? norm(node, squares) : finite(node);
        builder.rename(
                result, rewriter.source().value(node.results().getFirst()).name());
        rewriter.replace(node.results().getFirst(), result);
    }

    private List<Bucket> buckets(List<ValueId> gradients) {
        return gradients.stream()
                .filter(this::isShared)
                .map(gradient -> places.get(gradient).bucket())
                .distinct()
                .toList();
    }

    private ValueId norm(Node node, SumOfSquares op) {
        List<ValueId> tensors = op.tensors(node.operands());
        List<ValueId> factor = rewriter.map(
                node.operands().subList(tensors.size(), node.operands().size()));
        boolean precise = SumOfSquares.isPrecise(rewriter.source().types(tensors));
        Map<Integer, ValueId> chunks = chunks(buckets(tensors), factor, precise);
        List<ValueId> operands = new ArrayList<>();
        for (ValueId tensor : tensors) {
            operands.add(
                    isShared(tensor)
                            ? cut(chunks.get(places.get(tensor).bucket().number()), places.get(tensor))
                            : rewriter.map(tensor));
        }
        List<Integer> chunked = IntStream.range(0, tensors.size())
                .filter(tensor -> isShared(tensors.get(tensor)))
                .boxed()
                .toList();
        operands.addAll(factor);
        return builder.emit(new SumOfChunks(chunked, op.scaled(), precise), operands)
                .getFirst();
    }

    /** Sums of squares by chunks of all of a bucket, by its number; one exchange brings those of all buckets. */
    private Map<Integer, ValueId> chunks(List<Bucket> buckets, List<ValueId> factor, boolean precise) {
        List<ValueId> own = new ArrayList<>();
        for (Bucket bucket : buckets) {
            List<Long> firsts =
                    bucket.members().stream().map(Bucket.Member::first).toList();
            List<Long> elements = bucket.members().stream()
                    .map(member -> member.type().elements())
                    .toList();
            List<ValueId> operands = new ArrayList<>(List.of(shares.get(bucket.number())));
            operands.addAll(factor);
            own.add(builder.emit(new ChunkSquares(firsts, elements, !factor.isEmpty(), precise), operands)
                    .getFirst());
        }
        ValueId joined = own.size() == 1
                ? own.getFirst()
                : builder.emit(new Concat(0), own).getFirst();
        ValueId all = builder.apply(new GatherShares(ranks), joined);
        builder.rename(all, "gathered.squares");
        Map<Integer, ValueId> chunks = new LinkedHashMap<>();
        long column = 0;
        for (int k = 0; k < own.size(); k++) {
            long width = builder.type(own.get(k)).elements();
            Slice columns = new Slice(List.of(Dim.ZERO, Dim.of(column)), List.of(Dim.of(ranks), Dim.of(width)));
            ValueId rows = own.size() == 1 ? all : builder.apply(columns, all);
            chunks.put(buckets.get(k).number(), builder.reshape(rows, Shape.of(ranks * width)));
            column += width;
        }
        return chunks;
    }

    private ValueId cut(ValueId chunks, Place place) {
        Bucket.Member member = place.bucket().members().get(place.member());
        long first = member.first() / ScatterShares.UNIT;
        long count = Math.ceilDiv(member.type().elements(), ScatterShares.UNIT);
        return builder.apply(new Slice(List.of(Dim.of(first)), List.of(Dim.of(count))), chunks);
    }

    private ValueId finite(Node node) {
        List<ValueId> operands = new ArrayList<>();
        buckets(node.operands()).forEach(bucket -> operands.add(shares.get(bucket.number())));
        node.operands().stream()
                .filter(operand -> !isShared(operand))
                .map(rewriter::map)
                .forEach(operands::add);
        ValueId own = builder.emit(new AllFinite(), operands).getFirst();
        ValueId all = builder.apply(new GatherShares(ranks), builder.cast(own, DType.F32));
        builder.rename(all, "gathered.finite");
        ValueId least = builder.apply(new Reduce(Reduce.Kind.MIN, List.of(0)), all);
        return builder.compare(Compare.Kind.EQ, builder.reshape(least, Shape.of()), 1);
    }
}
