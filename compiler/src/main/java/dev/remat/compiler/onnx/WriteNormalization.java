package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.StopGradient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Normalization: by an operator of ONNX where one says the same, else by its formula. */
final class WriteNormalization {
    private final Translated node;
    private final Normalize normalize;
    private final TensorType x;

    private WriteNormalization(Translated node, Normalize normalize) {
        this.node = node;
        this.normalize = normalize;
        this.x = node.type(0);
    }

    static void run(Translated node, Normalize normalize) {
        WriteNormalization writing = new WriteNormalization(node, normalize);
        node.result(writing.ofRows().or(writing::ofChannels).orElseGet(writing::formula));
    }

    private ValueId operand(int index) {
        return node.node().operands().get(index);
    }

    /** Layer and RMS normalization: over the last axes, by their own statistics, with a factor for each element. */
    private Optional<String> ofRows() {
        int first = x.rank() - normalize.axes().size();
        boolean last =
                normalize.axes().equals(IntStream.range(first, x.rank()).boxed().toList());
        List<Dim> row = x.shape().dims().subList(first, x.rank());
        boolean has = normalize.centered() || node.out().opset().hasRmsNormalization() && !normalize.shifted();
        if (!last || !has || !normalize.scaled() || !isByOwnStatistics()) {
            return Optional.empty();
        }
        Optional<String> gamma = vector(normalize.gammaIndex(), row);
        Optional<String> beta = normalize.shifted() ? vector(normalize.betaIndex(), row) : Optional.of("");
        if (gamma.isEmpty() || beta.isEmpty()) {
            return Optional.empty();
        }
        List<String> operands = new ArrayList<>(List.of(node.operand(0), gamma.get()));
        if (normalize.shifted()) {
            operands.add(beta.get());
        }
        return Optional.of(node.apply(
                normalize.centered() ? "LayerNormalization" : "RMSNormalization",
                operands,
                Attribute.of("axis", first - x.rank()),
                Attribute.of("epsilon", normalize.epsilon())));
    }

    private boolean isByOwnStatistics() {
        Graph graph = node.graph();
        Optional<Node> statistics =
                graph.value(operand(normalize.varianceIndex())).producer().map(graph::node);
        return statistics
                .filter(each -> each.op().equals(new NormStatistics(normalize.axes(), normalize.centered()))
                        && each.operands().getFirst().equals(operand(0))
                        && each.results().equals(node.node().operands().subList(1, normalize.varianceIndex() + 1)))
                .isPresent();
    }

    /** Batch normalization by running statistics: a mean, a variance and a factor for each channel. */
    private Optional<String> ofChannels() {
        List<Integer> others =
                IntStream.range(0, x.rank()).filter(axis -> axis != 1).boxed().toList();
        if (x.rank() < 2 || !normalize.axes().equals(others) || !normalize.shifted() || !normalize.centered()) {
            return Optional.empty();
        }
        List<String> operands = new ArrayList<>(List.of(node.operand(0)));
        for (int index : new int[] {normalize.gammaIndex(), normalize.betaIndex(), 1, normalize.varianceIndex()}) {
            Optional<String> channels = vector(index, List.of(x.dim(1)));
            if (channels.isEmpty()) {
                return Optional.empty();
            }
            operands.add(channels.get());
        }
        return Optional.of(node.apply("BatchNormalization", operands, Attribute.of("epsilon", normalize.epsilon())));
    }

    /** What an operand was before it got axes of extent 1, if that has this shape and the dtype of the input. */
    private Optional<String> vector(int index, List<Dim> shape) {
        Graph graph = node.graph();
        ValueId value = operand(index);
        while (!graph.type(value).shape().dims().equals(shape)) {
            Optional<Node> maker = graph.value(value)
                    .producer()
                    .map(graph::node)
                    .filter(each -> each.op() instanceof Reshape
                            || each.op() instanceof Broadcast
                            || each.op() instanceof StopGradient);
            if (maker.isEmpty()) {
                return Optional.empty();
            }
            value = maker.get().operands().getFirst();
        }
        return graph.type(value).dtype() == x.dtype()
                ? Optional.of(node.tensors().whole(value))
                : Optional.empty();
    }

    private String formula() {
        DType wide = x.dtype().accumulator();
        String y = node.cast(node.operand(0), x.dtype(), wide);
        if (normalize.centered()) {
            y = node.apply("Sub", y, node.held(1).name());
        }
        String variance = node.held(normalize.varianceIndex()).name();
        String deviation =
                node.apply("Sqrt", node.apply("Add", variance, node.out().scalar(wide, normalize.epsilon())));
        y = node.apply("Div", y, deviation);
        if (normalize.scaled()) {
            y = node.apply("Mul", y, affine(normalize.gammaIndex(), wide));
        }
        if (normalize.shifted()) {
            y = node.apply("Add", y, affine(normalize.betaIndex(), wide));
        }
        return node.cast(y, wide, x.dtype());
    }

    private String affine(int index, DType wide) {
        return node.cast(node.held(index).name(), node.type(index).dtype(), wide);
    }
}
