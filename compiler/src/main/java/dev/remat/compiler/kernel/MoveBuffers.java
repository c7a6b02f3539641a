package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.compiler.remat.Move;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Puts the moves of a sequence between kernels. What is fetched is a buffer of its own, which kernels behind the fetch
 * read instead of the one that was stored; the first of them waits for it.
 *
 * <pre>
 * sequence: a  store a  b  await a  c  fetch a  a.grad
 * kernels:  a  store %1  b  await  c  fetch %5  await  a.grad, which reads %5 instead of %1
 * </pre>
 */
public final class MoveBuffers {
    /** A move in its place, before moves have numbers. */
    private record Placed(int before, Move move, Optional<ValueId> fetched) {}

    private final Graph graph;
    private final List<FusionGroup> kernels;
    private final List<Value> values;
    private final ValueMap<Layout> layouts;

    private MoveBuffers(KernelGraph kernelGraph) {
        this.graph = kernelGraph.graph();
        this.kernels = new ArrayList<>(kernelGraph.kernels());
        this.values = new ArrayList<>(graph.values());
        this.layouts = kernelGraph.layouts();
    }

    /** @param kernels of the graph, each with whole steps of it */
    public static KernelGraph run(KernelGraph kernels, RematerializedGraph rematerialized) {
        return rematerialized.moves().isEmpty()
                ? kernels
                : new MoveBuffers(kernels).run(rematerialized.steps(), rematerialized.moves());
    }

    private KernelGraph run(List<List<NodeId>> steps, List<Move> moves) {
        int[] kernelBehind = kernelBehind(steps);
        List<Placed> placed = new ArrayList<>();
        ValueMap<Integer> stored = new ValueMap<>(values.size());
        for (Move move : moves) {
            int before = kernelBehind[move.before()];
            switch (move) {
                case Move.Store store -> {
                    before = Math.max(before, 1 + writer(store.value()));
                    stored.put(store.value(), before);
                    placed.add(new Placed(before, move, Optional.empty()));
                }
                case Move.Await await ->
                    placed.add(new Placed(Math.max(before, stored.get(await.value())), move, Optional.empty()));
                case Move.Fetch fetch -> {
                    before = Math.max(before, stored.get(fetch.value()));
                    placed.add(new Placed(before, move, Optional.of(fetched(fetch.value(), before))));
                }
            }
        }
        placed.sort(Comparator.comparingInt(Placed::before));
        Graph moved = new Graph(graph.name(), graph.inputs(), graph.nodes(), values, graph.outputs());
        return new KernelGraph(moved, layouts, kernels, numbered(placed));
    }

    /** For each step, and behind the last, the first kernel that stands behind all steps before it. */
    private int[] kernelBehind(List<List<NodeId>> steps) {
        int[] kernelOf = new int[graph.nodes().size()];
        for (int k = 0; k < kernels.size(); k++) {
            for (NodeId id : kernels.get(k).nodes()) {
                kernelOf[id.index()] = k;
            }
        }
        int[] behind = new int[steps.size() + 1];
        behind[steps.size()] = kernels.size();
        for (int t = steps.size() - 1; t >= 0; t--) {
            behind[t] = steps.get(t).isEmpty()
                    ? behind[t + 1]
                    : Math.min(behind[t + 1], kernelOf[steps.get(t).getFirst().index()]);
        }
        return behind;
    }

    /** The kernel that writes a buffer; -1 of what is there from the start. */
    private int writer(ValueId buffer) {
        for (int k = 0; k < kernels.size(); k++) {
            if (kernels.get(k).results().contains(buffer)) {
                return k;
            }
        }
        return -1;
    }

    /** A buffer that kernels from {@code before} on read instead of the one that was stored. */
    private ValueId fetched(ValueId stored, int before) {
        ValueId buffer = new ValueId(values.size());
        Value value = values.get(stored.index());
        values.add(new Value(
                buffer,
                value.name() + "~" + buffer.index(),
                value.type(),
                value.definition(),
                Optional.empty(),
                Optional.empty()));
        layouts.put(buffer, new Layout(buffer, layouts.get(stored).view()));
        for (int k = before; k < kernels.size(); k++) {
            FusionGroup kernel = kernels.get(k);
            kernels.set(
                    k,
                    kernel.withReads(kernel.reads().stream()
                            .map(read -> holdsSame(read, stored) ? buffer : read)
                            .toList()));
        }
        return buffer;
    }

    /** Whether a buffer is that one, or was fetched of it. */
    private boolean holdsSame(ValueId buffer, ValueId stored) {
        return values.get(buffer.index())
                .definition()
                .equals(values.get(stored.index()).definition());
    }

    private List<BufferMove> numbered(List<Placed> placed) {
        List<BufferMove> numbered = new ArrayList<>();
        ValueMap<Integer> lastStore = new ValueMap<>(values.size());
        SortedMap<Integer, Integer> unread = new TreeMap<>();
        int next = 0;
        for (int k = 0; k <= kernels.size(); k++) {
            for (; next < placed.size() && placed.get(next).before() == k; next++) {
                int number = numbered.size();
                switch (placed.get(next).move()) {
                    case Move.Store(int _, ValueId value, int tier) -> {
                        lastStore.put(value, number);
                        numbered.add(new BufferMove.Store(k, value, tier));
                    }
                    case Move.Await(int _, ValueId value) ->
                        numbered.add(new BufferMove.Await(k, lastStore.get(value)));
                    case Move.Fetch(int _, ValueId value) -> {
                        ValueId buffer = placed.get(next).fetched().orElseThrow();
                        unread.put(buffer.index(), number);
                        numbered.add(new BufferMove.Fetch(k, buffer, lastStore.get(value)));
                    }
                }
            }
            for (ValueId read : k < kernels.size() ? kernels.get(k).reads() : List.<ValueId>of()) {
                Integer fetch = unread.remove(read.index());
                if (fetch != null) {
                    numbered.add(new BufferMove.Await(k, fetch));
                }
            }
        }
        return numbered;
    }
}
