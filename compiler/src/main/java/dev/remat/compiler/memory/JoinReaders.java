package dev.remat.compiler.memory;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.GroupAssembly;
import dev.remat.compiler.fusion.Layout;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.remat.Move;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Lets a kernel take along the elementwise kernel or reduction that runs next and reads its result: both results are
 * stored, and the first is not read again. An elementwise kernel takes along one that reads what it reads, too, as the
 * gates of a cell do. Planning knows nothing of it, so that a plan may keep one of the two and
 * compute the other again, by itself. Where more would be live at once than anywhere before, kernels stay apart.
 *
 * <pre>
 * before: kernel {%3 = matmul(%1, %2)} writes %3      kernel {%4 = gelu(%3)} writes %4      %3 is read again
 * after:  kernel {%3, %4} writes %3 and %4
 * </pre>
 */
public final class JoinReaders {
    private final KernelGraph kernelGraph;
    private final Graph graph;
    private final TargetModel target;
    private final ValueMap<Layout> layouts;
    private final ValueMap<List<NodeId>> consumers;
    private final GroupAssembly assembly;
    /** Of each node its step of the sequence, and before which steps something moves. */
    private final ValueMap<Integer> stepOf;

    private final BitSet moves = new BitSet();

    private JoinReaders(KernelGraph kernelGraph, List<List<NodeId>> steps, List<Move> moves, TargetModel target) {
        this.kernelGraph = kernelGraph;
        this.graph = kernelGraph.graph();
        this.target = target;
        this.layouts = kernelGraph.layouts();
        this.consumers = graph.consumers();
        this.assembly = new GroupAssembly(graph, layouts);
        this.stepOf = new ValueMap<>(graph.nodes().size());
        for (int step = 0; step < steps.size(); step++) {
            for (NodeId node : steps.get(step)) {
                stepOf.put(new ValueId(node.index()), step);
            }
        }
        moves.forEach(move -> this.moves.set(move.before()));
    }

    public static KernelGraph run(KernelGraph kernelGraph, TargetModel target) {
        return new JoinReaders(kernelGraph, List.of(), List.of(), target).run();
    }

    /** @param inserted whose kernels these are: they stay apart where something moves between them */
    public static KernelGraph run(KernelGraph kernelGraph, RematerializedGraph inserted, TargetModel target) {
        return new JoinReaders(kernelGraph, inserted.steps(), inserted.moves(), target).run();
    }

    private KernelGraph run() {
        List<List<FusionGroup>> runs = runs();
        if (runs.size() == kernelGraph.kernels().size()) {
            return kernelGraph;
        }
        long most = LiveBytes.of(kernelGraph, target).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
        while (true) {
            KernelGraph joined = new KernelGraph(
                    graph, layouts, runs.stream().map(this::kernel).toList());
            List<Long> live = LiveBytes.of(joined, target);
            List<List<FusionGroup>> shorter = new ArrayList<>();
            for (int k = 0; k < runs.size(); k++) {
                List<FusionGroup> kernels = runs.get(k);
                boolean fits = live.get(k) <= most || kernels.size() == 1;
                shorter.add(fits ? kernels : kernels.subList(0, kernels.size() - 1));
                if (!fits) {
                    shorter.add(List.of(kernels.getLast()));
                }
            }
            if (shorter.size() == runs.size()) {
                return joined;
            }
            runs = shorter;
        }
    }

    /** Kernels that could be one. */
    private List<List<FusionGroup>> runs() {
        List<FusionGroup> kernels = kernelGraph.kernels();
        List<List<FusionGroup>> runs = new ArrayList<>();
        for (int k = 0; k < kernels.size(); k++) {
            FusionGroup kernel = kernels.get(k);
            boolean joins = !runs.isEmpty() && takesAlong(kernel(runs.getLast()), kernel);
            if (joins
                    && !(k + 1 < kernels.size()
                            && suitsReduction(kernel(runs.getLast()), kernel, kernels.get(k + 1)))) {
                runs.getLast().add(kernel);
            } else {
                runs.add(new ArrayList<>(List.of(kernel)));
            }
        }
        return runs;
    }

    /**
     * Whether an elementwise kernel should wait for the reduction that runs after it: a kernel that can go on with one
     * of the two only gains nothing by the first where its own result has to be stored anyway.
     */
    private boolean suitsReduction(FusionGroup first, FusionGroup kernel, FusionGroup next) {
        return first.form() == KernelBody.Form.ANCHORED
                && next.form() == KernelBody.Form.REDUCTION
                && takesAlong(kernel, next)
                && first.writes().stream()
                        .filter(kernel.reads()::contains)
                        .noneMatch(value -> kernel.nodes().containsAll(consumers.get(value)));
    }

    private FusionGroup kernel(List<FusionGroup> run) {
        return run.size() == 1
                ? run.getFirst()
                : assembly.assemble(
                        run.stream().flatMap(each -> each.nodes().stream()).toList());
    }

    private boolean takesAlong(FusionGroup first, FusionGroup next) {
        Node root = graph.node(first.root());
        Node reader = graph.node(next.root());
        return root.role() == reader.role()
                && root.role() != Role.UPDATE
                && root.isClone() == reader.isClone()
                && first.nodes().size() + next.nodes().size() <= FusionGroup.MAX_NODES
                && fit(first, next)
                && !movesBetween(first, next)
                && storesSeveral(first)
                && storesSeveral(next)
                && readsInOrder(first, next);
    }

    private boolean movesBetween(FusionGroup first, FusionGroup next) {
        if (moves.isEmpty()) {
            return false;
        }
        int from = steps(first).min().orElse(0);
        int move = moves.nextSetBit(from + 1);
        return move >= 0 && move <= steps(next).max().orElse(Integer.MAX_VALUE);
    }

    private IntStream steps(FusionGroup kernel) {
        return kernel.nodes().stream()
                .flatMap(node -> stepOf.find(new ValueId(node.index())).stream())
                .mapToInt(Integer::intValue);
    }

    /** Whether one kernel can be of both forms. */
    private static boolean fit(FusionGroup first, FusionGroup next) {
        boolean placed = first.results().size() != first.writes().size();
        if (storesBits(first) || storesBits(next)) {
            return first.form() == KernelBody.Form.ELEMENTWISE && next.form() == KernelBody.Form.ELEMENTWISE;
        }
        return switch (next.form()) {
            case ELEMENTWISE -> first.form() != KernelBody.Form.REDUCTION && !placed;
            case REDUCTION -> first.form() == KernelBody.Form.ELEMENTWISE;
            case ANCHORED -> false;
        };
    }

    /** Whether eight neighbours have to be there at once, as they are where nothing but elementwise work is done. */
    private static boolean storesBits(FusionGroup kernel) {
        return kernel.body().writes().stream().anyMatch(write -> write.type().dtype() == DType.BIT);
    }

    private boolean storesSeveral(FusionGroup kernel) {
        Instruction anchor = kernel.body().instructions().get(kernel.body().anchor());
        return target.storesSeveral(anchor.op(), kernel.body().operandTypes(anchor));
    }

    /** Whether {@code next} reads what {@code first} makes, element by element as both compute, or what it reads. */
    private boolean readsInOrder(FusionGroup first, FusionGroup next) {
        boolean reads = readTheSame(first, next);
        for (NodeId id : next.nodes()) {
            for (ValueId operand : graph.node(id).operands()) {
                boolean made = layouts.find(operand)
                        .filter(layout -> first.writes().contains(layout.base()))
                        .isPresent();
                if (made && !isWalked(operand, next)) {
                    return false;
                }
                reads |= made;
            }
        }
        return reads;
    }

    /** Whether two elementwise kernels walk one shape and have a tensor in common. */
    private boolean readTheSame(FusionGroup first, FusionGroup next) {
        return first.form() == KernelBody.Form.ELEMENTWISE
                && next.form() == KernelBody.Form.ELEMENTWISE
                && !Collections.disjoint(first.reads(), next.reads())
                && shape(first).equals(shape(next));
    }

    private Shape shape(FusionGroup kernel) {
        return graph.type(graph.node(kernel.root()).results().getFirst()).shape();
    }

    /** Whether a value is no view, goes on from its operation, and has the shape that {@code next} walks. */
    private boolean isWalked(ValueId value, FusionGroup next) {
        Node producer = graph.node(graph.value(value).producer().orElseThrow());
        Node root = graph.node(next.root());
        ValueId walked = next.form() == KernelBody.Form.REDUCTION
                ? root.operands().getFirst()
                : root.results().getFirst();
        return layouts.get(value).base().equals(value)
                && producer.results().getFirst().equals(value)
                && graph.type(value).shape().equals(graph.type(walked).shape());
    }
}
