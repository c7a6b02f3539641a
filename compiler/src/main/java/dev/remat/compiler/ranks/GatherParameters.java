package dev.remat.compiler.ranks;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.GatherShares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Gathers parameters that ranks have in shares, a bucket when it is first read, and the one that is read next while
 * kernels run. What all readers cast to a narrower dtype is cast before. Whether a bucket is kept until the backward
 * pass or gathered again is for planners to say.
 *
 * <pre>
 * before: %h = matmul(%x, %w)
 * after:  %1 = gather_shares{ranks=2}(%own.w)  %2 = reshape(%1)  %3 = slice(%2)  %w = reshape(%3)  %h = matmul(%x, %w)
 * </pre>
 */
final class GatherParameters {
    private final GraphRewriter rewriter;
    private final Graph graph;
    private final SharedBuckets shared;
    /** Shares of parameters, by the numbers of buckets. */
    private final Map<Integer, ValueId> own = new LinkedHashMap<>();

    private final Map<Integer, ValueId> gathered = new LinkedHashMap<>();
    /** Buckets in the order in which they are read. */
    private final List<Bucket> order;

    private final Map<Integer, Optional<DType>> narrow = new LinkedHashMap<>();

    GatherParameters(GraphRewriter rewriter, SharedBuckets shared) {
        this.rewriter = rewriter;
        this.graph = rewriter.source();
        this.shared = shared;
        Set<Bucket> read = new LinkedHashSet<>();
        graph.nodes()
                .forEach(
                        node -> node.operands().forEach(operand -> find(operand).ifPresent(read::add)));
        this.order = new ArrayList<>(read);
        order.forEach(bucket -> narrow.put(bucket.number(), shared.narrow(graph, bucket)));
    }

    private Optional<Bucket> find(ValueId value) {
        return graph.value(value).producer().isEmpty()
                ? shared.ofParameter(graph.value(value).name())
                : Optional.empty();
    }

    /** Whether an input is a parameter of which ranks have shares: one then stands for those of its bucket. */
    boolean takes(GraphInput input) {
        Optional<Bucket> bucket = find(input.value());
        bucket.ifPresent(of -> own.computeIfAbsent(of.number(), _ -> {
            List<ValueId> wholes =
                    shared.parameters(of).stream().map(this::named).toList();
            return shared.own(rewriter, of, wholes, "");
        }));
        return bucket.isPresent();
    }

    private ValueId named(String parameter) {
        return graph.inputs().stream()
                .map(GraphInput::value)
                .filter(value -> graph.value(value).name().equals(parameter))
                .findFirst()
                .orElseThrow();
    }

    /** Whether a node casts a parameter that comes as what it is cast to; otherwise what it reads is there then. */
    boolean takes(Node node) {
        for (ValueId operand : node.operands()) {
            Optional<Bucket> bucket = find(operand);
            if (bucket.isPresent()) {
                gather(bucket.get(), node);
                int next = order.indexOf(bucket.get()) + 1;
                if (next < order.size()) {
                    gather(order.get(next), node);
                }
                ValueId value = node.op() instanceof Cast && isNarrow(bucket.get())
                        ? node.results().getFirst()
                        : operand;
                if (!rewriter.isMapped(value)) {
                    rewriter.replace(value, cut(bucket.get(), operand));
                }
                if (!value.equals(operand)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isNarrow(Bucket bucket) {
        return narrow.get(bucket.number()).isPresent();
    }

    private ValueId cut(Bucket bucket, ValueId parameter) {
        return SharedBuckets.cut(
                rewriter.target(),
                gathered.get(bucket.number()),
                shared.member(graph.value(parameter).name()));
    }

    private void gather(Bucket bucket, Node reader) {
        if (gathered.containsKey(bucket.number())) {
            return;
        }
        GraphBuilder builder = rewriter.target();
        builder.at(reader.origin()).as(reader.role() == Role.FORWARD ? Role.FORWARD : Role.BACKWARD);
        ValueId share = own.get(bucket.number());
        DType dtype = narrow.get(bucket.number()).orElse(builder.type(share).dtype());
        ValueId all = builder.apply(new GatherShares(shared.ranks()), builder.cast(share, dtype));
        builder.rename(all, "gathered." + builder.value(share).name());
        ValueId flat = builder.reshape(all, Shape.of(builder.type(all).elements()));
        gathered.put(bucket.number(), flat);
    }
}
