package dev.remat.compiler.ranks;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.ScatterShares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Sums that ranks exchange together, because each exchange costs the latency of a message to every rank: those that are
 * complete one behind the other, up to a size, one behind the other in one vector.
 *
 * @param number from 1, in the order in which buckets are begun
 * @param members in the order in which they are complete
 * @param sum dtype of the sums
 * @param aligned whether each begins at a multiple of {@link ScatterShares#UNIT}, so that ranks can fold its chunks
 */
record Bucket(int number, List<Member> members, DType sum, boolean aligned) {
    /** Bytes at which a bucket is full, where so many units go to each rank that few are filled up with zeros. */
    private static final long FULL = 256 << 10;

    private static final int FULL_UNITS = 4;

    /** Bytes from which on sums are kept in shares. */
    private static final long SHARED_FROM = 64 << 10;

    /** Bytes up to which each rank gets what all others have. */
    private static final long GATHERED_UP_TO = 1 << 20;

    /**
     * A sum.
     *
     * @param node that adds to it
     * @param accumulator its name
     * @param value what is added, before it is widened
     * @param type of the sum
     * @param first its first element in the bucket
     */
    record Member(Node node, String accumulator, ValueId value, TensorType type, long first) {
        /** One past its last element. */
        long end() {
            return first + type.elements();
        }
    }

    Bucket {
        members = List.copyOf(members);
    }

    /**
     * Of all sums of a graph that nothing in it reads.
     *
     * @param kinds of sums by their names: only those of one kind lie in one bucket
     * @param aligned names of those that begin with a unit
     */
    static List<Bucket> all(Graph body, int ranks, Function<String, ?> kinds, Predicate<String> aligned) {
        ValueMap<List<NodeId>> consumers = body.consumers();
        List<ValueId> outputs = body.outputs().stream().map(GraphOutput::value).toList();
        List<Bucket> buckets = new ArrayList<>();
        Map<List<Object>, Integer> open = new LinkedHashMap<>();
        for (Node node : body.nodes()) {
            ValueId result = node.results().getFirst();
            if (node.op() instanceof Accumulate
                    && !outputs.contains(result)
                    && consumers.get(result).isEmpty()) {
                ValueId value = beforeWidening(body, node.operands().get(1));
                TensorType type = body.type(result);
                String accumulator = body.value(node.operands().getFirst()).name();
                List<Object> kind = List.of(body.type(value).dtype(), type.dtype(), kinds.apply(accumulator));
                int at = open.computeIfAbsent(kind, _ -> {
                    buckets.add(new Bucket(buckets.size() + 1, List.of(), type.dtype(), aligned.test(accumulator)));
                    return buckets.size() - 1;
                });
                Bucket fuller = buckets.get(at)
                        .with(new Member(
                                node, accumulator, value, type, buckets.get(at).next()));
                buckets.set(at, fuller);
                if (fuller.isFull(ranks)) {
                    open.remove(kind);
                }
            }
        }
        return buckets;
    }

    private Bucket with(Member member) {
        List<Member> more = new ArrayList<>(members);
        more.add(member);
        return new Bucket(number, more, sum, aligned);
    }

    /** Half as many bytes say what is widened behind them, too. */
    static ValueId beforeWidening(Graph graph, ValueId value) {
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

    /** Elements up to the end of the last sum. */
    long elements() {
        return members.isEmpty() ? 0 : members.getLast().end();
    }

    /** Where another sum begins. */
    private long next() {
        return aligned ? Math.ceilDiv(elements(), ScatterShares.UNIT) * ScatterShares.UNIT : elements();
    }

    /** Zeros between a sum and the one behind it. */
    long gapBehind(int member) {
        return member + 1 < members.size()
                ? members.get(member + 1).first() - members.get(member).end()
                : 0;
    }

    private long bytes() {
        return elements() * sum.bytes();
    }

    private boolean isFull(int ranks) {
        return bytes() >= FULL && ScatterShares.share(elements(), ranks) >= FULL_UNITS * ScatterShares.UNIT;
    }

    /** Whether it is more than one sum. */
    boolean joins() {
        return members.size() > 1;
    }

    /** Whether each rank keeps a share of the sums in place of all. */
    boolean isShared(int ranks) {
        boolean dear = (ranks - 1) * bytes() > GATHERED_UP_TO && ScatterShares.share(elements(), ranks) < elements();
        return bytes() >= SHARED_FROM || dear;
    }

    /** What a rank keeps of the sums. */
    TensorType kept(int ranks) {
        if (isShared(ranks)) {
            return TensorType.of(sum, ScatterShares.share(elements(), ranks));
        }
        return joins() ? TensorType.of(sum, elements()) : members.getFirst().type();
    }

    Member member(String accumulator) {
        return members.stream()
                .filter(member -> member.accumulator().equals(accumulator))
                .findFirst()
                .orElseThrow();
    }

    /** The input that is what a rank keeps of the sums. */
    ValueId input(GraphRewriter rewriter, GraphInput like, int ranks) {
        ValueId sums = rewriter.target().input(like, accumulator(), kept(ranks));
        rewriter.target().carry(rewriter.source().value(like.value()), sums);
        return sums;
    }

    /** What it adds up, in words. */
    String summed() {
        return joins()
                ? "bucket." + number
                : Accumulators.summed(members.getFirst().accumulator());
    }

    /** The name of what holds the sums. */
    String accumulator() {
        return joins() ? Accumulators.named(summed()) : members.getFirst().accumulator();
    }
}
