package dev.remat.compiler.fusion;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Lays images out with their channels last where convolutions are faster so. What carries images from one convolution
 * to another goes along; where images come from elsewhere, or go there, a view turns them.
 *
 * <pre>
 * before: %y bf16[8, 64, 56, 56] = conv2d(%x, %w)                %z = relu(%y)
 * after:  %t = transpose(%x)   %y bf16[8, 56, 56, 64] = conv2d{layout=nhwc}(%t, %w)   %z = relu(%y)
 * </pre>
 *
 * <p>All images of one operation have one layout, so each connected part of the graph changes as a whole or not at all:
 * it does if the images of convolutions that gain by it outweigh those that have to be turned.
 */
public final class ChannelsLast {
    private static final ImageLayout LAYOUT = ImageLayout.NHWC;
    private static final int RANK = 4;
    /** Bytes of a convolution's images that are worth turning a byte, which reads and writes it. */
    private static final long WORTH = 4;

    private final Graph graph;
    private final TargetModel target;
    /** Another value of the same part, or itself. */
    private final int[] part;

    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    /** Values whose home has the channels last. */
    private final boolean[] turned;
    /** The same in the other layout, where something has asked for it. */
    private final ValueMap<ValueId> others;

    private ChannelsLast(Graph graph, TargetModel target) {
        int values = graph.values().size();
        this.graph = graph;
        this.target = target;
        this.part = new int[values];
        Arrays.setAll(part, i -> i);
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
        this.turned = new boolean[values];
        this.others = new ValueMap<>(values);
    }

    public static Graph run(Graph graph, TargetModel target) {
        return new ChannelsLast(graph, target).run();
    }

    private Graph run() {
        if (graph.nodes().stream().noneMatch(this::gains)) {
            return graph;
        }
        for (Node node : graph.nodes()) {
            if (follows(node)) {
                images(node).forEach(image -> join(image, images(node).getFirst()));
            }
        }
        boolean[] worth = weigh();
        rewriter.copyInputs();
        for (Node node : graph.nodes()) {
            if (follows(node) && images(node).stream().anyMatch(image -> worth[find(image)])) {
                copyTurned(node);
            } else {
                copyAsItIs(node);
            }
        }
        for (GraphOutput output : graph.outputs()) {
            builder.output(output.name(), inLayout(output.value(), false));
        }
        return builder.build();
    }

    private boolean gains(Node node) {
        return target.prefersChannelsLast(node.op(), graph.types(node.operands()), graph.types(node.results()));
    }

    /** Whether an operation can work on images in either layout. */
    private boolean follows(Node node) {
        boolean shaped = Stream.concat(node.operands().stream(), node.results().stream())
                .allMatch(value -> graph.type(value).rank() == RANK);
        return shaped
                && !node.results().isEmpty()
                && !images(node).isEmpty()
                && TurnedOp.of(node.op()).isPresent()
                && target.takesChannelsLast(node.op(), graph.types(node.operands()), graph.types(node.results()));
    }

    /** What a node reads and makes in the layout of images: no filters, and no constants, which have none. */
    private List<ValueId> images(Node node) {
        List<ValueId> images = new ArrayList<>();
        for (int i = 0; i < node.operands().size(); i++) {
            if (!isFilter(node.op(), i) && constant(node.operands().get(i)).isEmpty()) {
                images.add(node.operands().get(i));
            }
        }
        if (!(node.op() instanceof Conv2dWeightGradient)) {
            images.addAll(node.results());
        }
        return images;
    }

    private static boolean isFilter(Op op, int operand) {
        return operand == 1 && (op instanceof Conv2d || op instanceof ConvTranspose2d);
    }

    private Optional<Constant> constant(ValueId value) {
        return graph.value(value)
                .producer()
                .map(producer -> graph.node(producer).op())
                .filter(Constant.class::isInstance)
                .map(Constant.class::cast);
    }

    private int find(ValueId value) {
        int at = value.index();
        while (part[at] != at) {
            part[at] = part[part[at]];
            at = part[at];
        }
        return at;
    }

    private void join(ValueId a, ValueId b) {
        part[find(a)] = find(b);
    }

    /** Which parts are worth turning. */
    private boolean[] weigh() {
        long[] balance = new long[graph.values().size()];
        boolean[] borders = new boolean[graph.values().size()];
        graph.inputs().forEach(input -> borders[input.value().index()] = true);
        graph.outputs().forEach(output -> borders[output.value().index()] = true);
        for (Node node : graph.nodes()) {
            List<ValueId> images = follows(node) ? images(node) : List.of();
            Stream.concat(node.operands().stream(), node.results().stream())
                    .filter(value -> !images.contains(value))
                    .forEach(value -> borders[value.index()] = true);
            if (gains(node)) {
                images.forEach(
                        image -> balance[find(image)] += graph.type(image).bytes());
            }
        }
        graph.values().stream()
                .filter(value -> borders[value.id().index()] && moves(value.type()))
                .forEach(value ->
                        balance[find(value.id())] -= WORTH * value.type().bytes());
        boolean[] worth = new boolean[balance.length];
        for (int i = 0; i < balance.length; i++) {
            worth[i] = balance[i] > 0;
        }
        return worth;
    }

    /** Whether turning images takes more than calling them so. */
    private static boolean moves(TensorType type) {
        if (type.rank() != RANK) {
            return false;
        }
        ImageLayout planes = ImageLayout.NCHW;
        return planes.channels(type).value() > 1
                && planes.height(type).value() * planes.width(type).value() > 1;
    }

    private void copyAsItIs(Node node) {
        List<ValueId> before = read(node, List.of());
        rewriter.copy(node);
        restore(node, before);
    }

    private void copyTurned(Node node) {
        List<ValueId> images = images(node);
        List<ValueId> before = read(node, images);
        Op op = TurnedOp.of(node.op()).orElseThrow();
        List<TensorType> types = op.infer(
                rewriter.map(node.operands()).stream().map(builder::type).toList());
        rewriter.copy(node, op, types);
        node.results().stream().filter(images::contains).forEach(image -> turned[image.index()] = true);
        restore(node, before);
    }

    /** Lets the node's operands be those of its layout, and returns what they were. */
    private List<ValueId> read(Node node, List<ValueId> images) {
        builder.at(node.origin()).as(MaterializeViews.copyRole(node.role()));
        List<ValueId> before = rewriter.map(node.operands());
        List<ValueId> now = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            ValueId operand = node.operands().get(i);
            boolean constant = !images.isEmpty() && constant(operand).isPresent() && !isFilter(node.op(), i);
            now.add(constant ? repeated(operand) : inLayout(operand, images.contains(operand)));
        }
        for (int i = 0; i < before.size(); i++) {
            rewriter.replace(node.operands().get(i), now.get(i));
        }
        return before;
    }

    private void restore(Node node, List<ValueId> before) {
        for (int i = 0; i < before.size(); i++) {
            rewriter.replace(node.operands().get(i), before.get(i));
        }
    }

    private ValueId repeated(ValueId old) {
        return others.find(old).orElseGet(() -> {
            Constant constant = constant(old).orElseThrow();
            Shape shape = new Shape(LAYOUT.reorder(constant.type().shape().dims()));
            ValueId made = builder.filled(constant.value(), constant.type().with(shape));
            others.put(old, made);
            return made;
        });
    }

    /** An old value with its channels last, or as it was; turned once for all readers. */
    private ValueId inLayout(ValueId old, boolean last) {
        if (last == turned[old.index()]) {
            return rewriter.map(old);
        }
        return others.find(old).orElseGet(() -> {
            Transpose view = LAYOUT.fromPlanes();
            Transpose back = new Transpose(view.inverse());
            ValueId made = builder.apply(last ? view : back, rewriter.map(old));
            builder.rename(made, graph.value(old).name() + (last ? ".nhwc" : ".nchw"));
            others.put(old, made);
            return made;
        });
    }
}
