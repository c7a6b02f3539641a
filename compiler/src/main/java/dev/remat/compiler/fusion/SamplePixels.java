package dev.remat.compiler.fusion;

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
import dev.remat.ir.op.Op;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes no pixels that nobody reads: where convolutions of one-element filters take steps, and nothing else reads
 * the images, elementwise operations make those pixels alone. Gradients, which are zero between them, are added and
 * masked without the zeros, which are put in once.
 *
 * <pre>
 * before: %r bf16[8, 56, 56, 64] = relu(%y)
 *         %z bf16[8, 28, 28, 128] = conv2d{stride_h=2, stride_w=2, …}(%r, %w)
 * after:  %y.some bf16[8, 28, 28, 64] = a view of %y       %r bf16[8, 28, 28, 64] = relu(%y.some)
 *         %z bf16[8, 28, 28, 128] = conv2d{stride_h=1, stride_w=1, …}(%r, %w)
 * </pre>
 *
 * <p>It is for images whose channels come last, where a pixel is a run of memory.
 */
public final class SamplePixels {
    private record Some(ValueId images, Sampling pixels) {}

    private final Graph graph;
    private final SampledValues values;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    /** Sampled pixels of old values that are computed as a whole, made where they are asked for first. */
    private final Map<Some, ValueId> some = new LinkedHashMap<>();
    /** Whole images of old values that are computed without their zeros. */
    private final ValueMap<ValueId> whole;

    private SamplePixels(Graph graph) {
        this.graph = graph;
        this.values = SampledValues.of(graph);
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
        this.whole = new ValueMap<>(graph.values().size());
    }

    public static Graph run(Graph graph) {
        return new SamplePixels(graph).run();
    }

    private Graph run() {
        if (graph.nodes().stream().noneMatch(node -> values.computed(node).isPresent())) {
            return graph;
        }
        rewriter.copyInputs();
        for (Node node : graph.nodes()) {
            Optional<Sampling> computed = values.computed(node);
            builder.at(node.origin()).as(node.role());
            if (computed.isPresent()) {
                copySampled(node, computed.get());
            } else {
                List<ValueId> operands =
                        node.operands().stream().map(this::whole).toList();
                Op op = read(node).map(pixels -> pixels.dense(node.op())).orElse(node.op());
                copy(node, op, operands, graph.types(node.results()));
            }
        }
        for (GraphOutput output : graph.outputs()) {
            builder.output(output.name(), whole(output.value()));
        }
        return rewriter.build();
    }

    private void copySampled(Node node, Sampling pixels) {
        boolean convolves = node.op() instanceof ConvTranspose2d;
        List<ValueId> operands = node.operands().stream()
                .map(operand -> values.isImage(node, operand) ? some(operand, pixels) : whole(operand))
                .toList();
        TensorType type = pixels.sampled(graph.type(node.results().getFirst()));
        copy(node, convolves ? pixels.dense(node.op()) : node.op(), operands, List.of(type));
    }

    private void copy(Node node, Op op, List<ValueId> operands, List<TensorType> types) {
        List<ValueId> before = rewriter.map(node.operands());
        replace(node.operands(), operands);
        rewriter.copy(node, op, types);
        replace(node.operands(), before);
    }

    private void replace(List<ValueId> old, List<ValueId> now) {
        for (int i = 0; i < old.size(); i++) {
            rewriter.replace(old.get(i), now.get(i));
        }
    }

    /** What an old value is as a whole: where pixels were added up without the zeros between them, with those. */
    private ValueId whole(ValueId old) {
        if (!values.isHollow(old)) {
            return rewriter.map(old);
        }
        return whole.find(old).orElseGet(() -> {
            Sampling pixels = maker(old).flatMap(values::computed).orElseThrow();
            ValueId made = pixels.spread(builder, rewriter.map(old), graph.type(old));
            builder.rename(made, graph.value(old).name() + ".whole");
            whole.put(old, made);
            return made;
        });
    }

    /** The sampled pixels of an old value. */
    private ValueId some(ValueId old, Sampling pixels) {
        if (maker(old).flatMap(values::computed).equals(Optional.of(pixels))) {
            return rewriter.map(old);
        }
        Some wanted = new Some(old, pixels);
        if (!some.containsKey(wanted)) {
            ValueId made = maker(old)
                    .filter(node -> node.op() instanceof Constant)
                    .map(node -> builder.filled(((Constant) node.op()).value(), pixels.sampled(graph.type(old))))
                    .orElseGet(() -> pixels.view(builder, whole(old)));
            builder.rename(made, graph.value(old).name() + ".some");
            some.put(wanted, made);
        }
        return some.get(wanted);
    }

    private Optional<Node> maker(ValueId value) {
        return graph.value(value).producer().map(graph::node);
    }

    /** The pixels of its image that a convolution reads, if no others are there. */
    private Optional<Sampling> read(Node node) {
        if (!(node.op() instanceof Conv2d || node.op() instanceof Conv2dWeightGradient)) {
            return Optional.empty();
        }
        return maker(node.operands().getFirst())
                .filter(maker -> !values.isHollow(maker.results().getFirst()))
                .flatMap(values::computed);
    }
}
