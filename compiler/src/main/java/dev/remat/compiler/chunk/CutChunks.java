package dev.remat.compiler.chunk;

import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.ChunkBlock;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Computes losses a chunk of rows at a time, forward and backward of a chunk before the next, so that logits and their
 * gradient exist for one chunk alone. The bits are those of the whole: kernels take their tiles from it, and sums over
 * rows go on where the chunk before has ended.
 *
 * <pre>
 * before: %logits = matmul(%h, %w)   %loss, %lse = cross_entropy(%logits, %t)
 *         %dlogits = cross_entropy_grad(%one, %logits, %t, %lse)   %dw = matmul{transpose_a=true}(%h, %dlogits)
 * after:  %h.1 = slice(%h)   %logits = matmul{whole_rows=512}(%h.1, %w)   …   %dw.1 = matmul{…}(%h.1, %dlogits)
 *         %h.2 = slice(%h)   %logits.2 = matmul{whole_rows=512}(%h.2, %w)   …
 *         %dw = matmul{…}(%h.2, %dlogits.2, %dw.1)   %loss = mean_loss(concat(%loss.1, %loss.2), %t)
 * </pre>
 */
public final class CutChunks {
    /**
     * What became of a graph.
     *
     * @param losses that are cut
     */
    public record Cut(Graph graph, List<ChunkedLoss> losses) {
        public Cut {
            losses = List.copyOf(losses);
        }
    }

    /** A region and where its chunks end. */
    private record Planned(LossRegion region, List<Long> ends) {}

    private static final String CODE = "E0505";

    private final Graph graph;
    private final TargetModel target;
    private final List<Planned> planned = new ArrayList<>();
    private final List<ChunkedLoss> losses = new ArrayList<>();
    private final List<Diagnostic> refusals = new ArrayList<>();

    private CutChunks(Graph graph, TargetModel target) {
        this.graph = graph;
        this.target = target;
    }

    /**
     * Cuts the losses that are asked for. One of no more rows than kernels work through at once stays whole. Sums over
     * rows are made such that chunks can go on with them, whether there are any or not.
     *
     * @param graph of a step or an evaluation, whose nodes are final but for fusion
     * @param target whose kernels say after which rows a chunk may end
     * @throws ModelException if a loss in a block of chunks cannot be cut, or none where all are asked for
     */
    public static Cut run(Graph graph, Chunks chunks, TargetModel target) {
        return new CutChunks(GoOnWithTables.run(SumRowsByProducts.run(graph)), target).run(chunks);
    }

    private Cut run(Chunks asked) {
        Set<NodeId> taken = new TreeSet<>();
        for (Node node : graph.nodes()) {
            if (node.op() instanceof CrossEntropy && !taken.contains(node.id())) {
                int count = asked.of(node.origin());
                Optional<LossRegion> region = count < 2 ? Optional.empty() : find(node, asked.isGiven());
                region.ifPresent(found -> {
                    found.nodes().forEach(each -> taken.add(each.id()));
                    plan(found, count);
                });
            }
        }
        boolean demanded = asked.kind() == Chunks.Kind.DEMANDED && asked.count() > 1;
        if (demanded && taken.isEmpty()) {
            throw new ModelException(refusals.isEmpty() ? List.of(withoutLoss()) : refusals);
        }
        return new Cut(planned.isEmpty() ? graph : RemoveDeadNodes.run(emit()), losses);
    }

    /** @param all whether the loss is one of all, of which some may stay whole */
    private Optional<LossRegion> find(Node loss, boolean all) {
        try {
            return Optional.of(FindLossRegion.run(graph, loss));
        } catch (UncutException e) {
            Location place = loss.origin()
                    .chunks()
                    .filter(_ -> !all)
                    .map(ChunkBlock::location)
                    .orElse(loss.origin().location());
            String where = e.location().equals(Location.NONE) ? "" : " at " + e.location();
            Diagnostic refusal = Diagnostic.error(
                    CODE, place, "this loss cannot be computed in chunks of rows", e.getMessage() + where);
            if (!all) {
                throw new ModelException(List.of(refusal));
            }
            refusals.add(refusal);
            return Optional.empty();
        }
    }

    private Diagnostic withoutLoss() {
        Location place = graph.outputs().stream()
                .map(output -> graph.location(output.value()))
                .findFirst()
                .orElse(Location.NONE);
        return Diagnostic.error(
                CODE, place, "no loss of this model is computed in chunks", "chunks are of rows of a cross_entropy");
    }

    private void plan(LossRegion region, int count) {
        List<Long> ends = ends(region, count);
        if (ends.size() > 2) {
            planned.add(new Planned(region, ends));
            losses.add(described(region, ends));
        }
    }

    /** Evenly, at multiples of the rows that kernels work through at once; the last chunk may end with fewer. */
    private List<Long> ends(LossRegion region, int count) {
        long run = 1;
        for (Node node : region.nodes()) {
            run = leastCommonMultiple(
                    run, target.rowsOfChunks(node.op(), graph.types(node.operands()), graph.types(node.results())));
        }
        long rows = region.rows().count();
        long runs = Math.ceilDiv(rows, run);
        long chunks = Math.min(count, runs);
        List<Long> ends = new ArrayList<>();
        for (long k = 0; k < chunks; k++) {
            ends.add(runs * k / chunks * run);
        }
        ends.add(rows);
        return ends;
    }

    private static long leastCommonMultiple(long a, long b) {
        long x = a;
        long y = b;
        while (y != 0) {
            long rest = x % y;
            x = y;
            y = rest;
        }
        return Math.multiplyExact(a / x, b);
    }

    private ChunkedLoss described(LossRegion region, List<Long> ends) {
        ValueId logits = region.nodes().getFirst().results().getFirst();
        TensorType type = graph.type(region.loss().operands().getFirst());
        long most = 0;
        for (int k = 0; k + 1 < ends.size(); k++) {
            most = Math.max(most, ends.get(k + 1) - ends.get(k));
        }
        return new ChunkedLoss(
                graph.value(logits).name(),
                region.loss().origin().location(),
                region.rows().count(),
                ends.size() - 1,
                RowAxes.of(type, 1, most).bytes(),
                type.bytes());
    }

    /**
     * Nodes in their order, and regions where their last node stood. What reads a region waits for it, and whatever
     * changes state does, too, so that losses are known before.
     */
    private Graph emit() {
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        TreeMap<Integer, Planned> last = new TreeMap<>();
        Set<Integer> inside = new TreeSet<>();
        for (Planned each : planned) {
            last.put(each.region().nodes().getLast().id().index(), each);
            each.region().nodes().forEach(node -> inside.add(node.id().index()));
        }
        List<Node> waiting = new ArrayList<>();
        int left = planned.size();
        for (Node node : graph.nodes()) {
            Planned ending = last.get(node.id().index());
            if (ending != null) {
                CutLoss.run(rewriter, ending.region(), ending.ends());
                left--;
                release(waiting, rewriter, left);
            } else if (!inside.contains(node.id().index())) {
                waiting.add(node);
                release(waiting, rewriter, left);
            }
        }
        return rewriter.complete();
    }

    private static void release(List<Node> waiting, GraphRewriter rewriter, int left) {
        Iterator<Node> nodes = waiting.iterator();
        while (nodes.hasNext()) {
            Node node = nodes.next();
            boolean ready =
                    node.operands().stream().allMatch(rewriter::isMapped) && (left == 0 || node.role() != Role.UPDATE);
            if (ready) {
                rewriter.copy(node);
                nodes.remove();
            }
        }
    }
}
