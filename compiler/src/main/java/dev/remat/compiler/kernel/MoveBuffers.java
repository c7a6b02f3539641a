package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.compiler.kernel.BufferMove.Copy;
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
 * read instead of the one that was stored; the first of them waits for it. Of an input that lives below, the result of
 * its update is stored.
 *
 * <pre>
 * sequence: a  store a  b  await a  c  fetch a  a.grad
 * kernels:  a  store %1  b  await  c  fetch %5  await  a.grad, which reads %5 instead of %1
 * </pre>
 */
public final class MoveBuffers {
    /**
     * A move in its place, before moves have numbers.
     *
     * @param buffer that is stored or fetched; of an await what was stored
     */
    private record Placed(int before, Move move, ValueId buffer) {}

    /**
     * What there is to store.
     *
     * @param step of the sequence that changes an input which lives below; -1 of anything else
     * @param kernel that makes it
     */
    private record Updated(int step, int kernel, ValueId result) {
        static final Updated NEVER = new Updated(Integer.MAX_VALUE, Integer.MAX_VALUE, new ValueId(0));
    }

    private final Graph graph;
    private final List<FusionGroup> kernels;
    private final List<Value> values;
    private final ValueMap<Layout> layouts;
    private final SortedMap<Integer, Integer> homes;

    private MoveBuffers(KernelGraph kernelGraph, SortedMap<Integer, Integer> homes) {
        this.graph = kernelGraph.graph();
        this.kernels = new ArrayList<>(kernelGraph.kernels());
        this.values = new ArrayList<>(graph.values());
        this.layouts = kernelGraph.layouts();
        this.homes = homes;
    }

    /** @param kernels of the graph, each with whole steps of it */
    public static KernelGraph run(KernelGraph kernels, RematerializedGraph rematerialized) {
        return rematerialized.moves().isEmpty() && rematerialized.homes().isEmpty()
                ? kernels
                : new MoveBuffers(kernels, rematerialized.homes()).run(rematerialized.steps(), rematerialized.moves());
    }

    private KernelGraph run(List<List<NodeId>> steps, List<Move> moves) {
        int[] kernelBehind = kernelBehind(steps);
        ValueMap<Updated> updates = updates(steps);
        List<Placed> placed = new ArrayList<>();
        ValueMap<Integer> stored = new ValueMap<>(values.size());
        homes.keySet().forEach(input -> stored.put(new ValueId(input), 0));
        for (Move move : moves) {
            int before = kernelBehind[move.before()];
            switch (move) {
                case Move.Store store -> {
                    Updated made = homes.containsKey(store.value().index())
                            ? updates.find(store.value()).orElse(Updated.NEVER)
                            : new Updated(-1, writer(store.value()), store.value());
                    if (made.step() < store.before()) {
                        before = Math.max(before, 1 + made.kernel());
                        stored.put(store.value(), before);
                        placed.add(new Placed(before, move, made.result()));
                    }
                }
                case Move.Await await ->
                    placed.add(new Placed(Math.max(before, stored.get(await.value())), move, await.value()));
                case Move.Fetch fetch -> {
                    before = Math.max(before, stored.get(fetch.value()));
                    placed.add(new Placed(before, move, fetched(fetch.value(), before)));
                }
            }
        }
        placed.sort(Comparator.comparingInt(Placed::before));
        Graph moved = new Graph(graph.name(), graph.inputs(), graph.nodes(), values, graph.outputs());
        return new KernelGraph(moved, layouts, kernels, numbered(placed), homes);
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

    /** The update of each input that lives below and has one. */
    private ValueMap<Updated> updates(List<List<NodeId>> steps) {
        int[] stepOf = new int[graph.nodes().size()];
        for (int t = 0; t < steps.size(); t++) {
            for (NodeId id : steps.get(t)) {
                stepOf[id.index()] = t;
            }
        }
        ValueMap<Updated> updates = new ValueMap<>(values.size());
        for (int k = 0; k < kernels.size(); k++) {
            FusionGroup kernel = kernels.get(k);
            for (int i = 0; i < kernel.overwrites().size(); i++) {
                if (homes.containsKey(kernel.overwrites().get(i).index())) {
                    int write = kernel.results().size() + i;
                    ValueId result = graph.node(kernel.root())
                            .results()
                            .get(kernel.body().writes().get(write).result());
                    int step = stepOf[kernel.root().index()];
                    updates.put(kernel.overwrites().get(i), new Updated(step, k, result));
                }
            }
        }
        return updates;
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
                Optional.empty(),
                value.mark()));
        layouts.put(buffer, new Layout(buffer, layouts.get(stored).view()));
        for (int k = before; k < kernels.size(); k++) {
            kernels.set(k, kernels.get(k).renamed(read -> holdsSame(read, stored) ? buffer : read));
        }
        return buffer;
    }

    /** Whether a buffer is that one, or was fetched of it. */
    private boolean holdsSame(ValueId buffer, ValueId stored) {
        return values.get(buffer.index())
                .definition()
                .equals(values.get(stored.index()).definition());
    }

    /** Leaves out what nothing needs once kernels are formed: a fetch whose reader has vanished into a later one. */
    private List<BufferMove> numbered(List<Placed> placed) {
        List<BufferMove> numbered = new ArrayList<>();
        ValueMap<Integer> lastStore = new ValueMap<>(values.size());
        SortedMap<Integer, Integer> unread = new TreeMap<>();
        int next = 0;
        for (int k = 0; k <= kernels.size(); k++) {
            for (; next < placed.size() && placed.get(next).before() == k; next++) {
                int number = numbered.size();
                ValueId buffer = placed.get(next).buffer();
                switch (placed.get(next).move()) {
                    case Move.Store(int _, ValueId value, int tier) -> {
                        lastStore.put(value, number);
                        Optional<ValueId> home =
                                homes.containsKey(value.index()) ? Optional.of(value) : Optional.empty();
                        numbered.add(new BufferMove.Store(k, buffer, tier, home));
                    }
                    case Move.Await(int _, ValueId value) -> {
                        int before = k;
                        lastStore.find(value).ifPresent(store -> numbered.add(new BufferMove.Await(before, store)));
                    }
                    case Move.Fetch(int _, ValueId value) -> {
                        if (kernels.stream().anyMatch(kernel -> kernel.needs(buffer))) {
                            unread.put(buffer.index(), number);
                            numbered.add(new BufferMove.Fetch(k, buffer, copy(value, lastStore)));
                        }
                    }
                }
            }
            if (k < kernels.size()) {
                awaitNeeded(k, unread, numbered);
            }
        }
        return numbered;
    }

    private Copy copy(ValueId value, ValueMap<Integer> lastStore) {
        return homes.containsKey(value.index()) ? new Copy.Home(value) : new Copy.Stored(lastStore.get(value));
    }

    private void awaitNeeded(int kernel, SortedMap<Integer, Integer> unread, List<BufferMove> numbered) {
        FusionGroup group = kernels.get(kernel);
        for (List<ValueId> buffers : List.of(group.reads(), group.overwrites())) {
            for (ValueId buffer : buffers) {
                Integer fetch = unread.remove(buffer.index());
                if (fetch != null) {
                    numbered.add(new BufferMove.Await(kernel, fetch));
                }
            }
        }
    }
}
