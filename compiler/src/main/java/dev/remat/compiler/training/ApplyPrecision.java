package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Lets activations be of a 16-bit dtype while parameters, statistics and losses stay f32.
 *
 * <pre>
 * before: %2 "y" f32[8, 2] = matmul(%x, %w)
 * after:  %2 "w.cast" bf16[2, 4] = cast(%w)      %3 "y" bf16[8, 2] = matmul(%x.cast, %2)
 * </pre>
 *
 * <p>An operation computes in the narrow dtype once one of its float operands has it, is a parameter, or is data. What
 * has a single element, such as a loss, is computed in f32, and so are {@linkplain LossesOfRows losses of rows}. Scales
 * and shifts of normalizations stay f32, in views too.
 */
public final class ApplyPrecision {
    private ApplyPrecision() {}

    /** @param precision of activations; f64 for everything */
    public static Graph run(Graph graph, DType precision) {
        return switch (precision) {
            case F32 -> graph;
            case F64 -> new Widen(graph).run();
            default -> new Narrowing(graph, precision).run();
        };
    }

    /** Every f32 tensor becomes f64, parameters too: for checking gradients. */
    private record Widen(Graph graph) {
        Graph run() {
            GraphRewriter rewriter = new GraphRewriter(graph);
            GraphBuilder builder = rewriter.target();
            for (GraphInput input : graph.inputs()) {
                TensorType type = graph.type(input.value());
                rewriter.copyInput(input, type.with(widen(type.dtype())));
            }
            for (Node node : graph.nodes()) {
                Op op = node.op().retype(Widen::widen);
                List<TensorType> operands = rewriter.map(node.operands()).stream()
                        .map(builder::type)
                        .toList();
                rewriter.copy(node, op, op.infer(operands));
            }
            return rewriter.complete();
        }

        private static DType widen(DType dtype) {
            return dtype == DType.F32 ? DType.F64 : dtype;
        }
    }

    /** Rewrites node by node; a wide value is narrowed where a narrow operation reads it. */
    private static final class Narrowing {
        private final Graph graph;
        private final DType narrow;
        private final GraphRewriter rewriter;
        private final GraphBuilder builder;
        private final boolean[] parameter;
        private final LossesOfRows losses;
        private final ValueMap<List<NodeId>> consumers;
        private final ValueMap<Constant> constants = new ValueMap<>(16);

        Narrowing(Graph graph, DType narrow) {
            this.graph = graph;
            this.narrow = narrow;
            this.rewriter = new GraphRewriter(graph);
            this.builder = rewriter.target();
            this.parameter = new boolean[graph.values().size()];
            this.losses = new LossesOfRows(graph);
            this.consumers = graph.consumers();
        }

        Graph run() {
            rewriter.copyInputs();
            for (GraphInput input : graph.inputs()) {
                boolean wide = graph.type(input.value()).dtype() == DType.F32;
                boolean narrowed = input.kind() == InputKind.PARAMETER || input.kind() == InputKind.DATA;
                parameter[input.value().index()] = wide && narrowed;
            }
            graph.nodes().forEach(this::rewrite);
            graph.outputs().forEach(o -> {
                builder.as(Role.FORWARD);
                builder.output(
                        o.name(),
                        builder.cast(
                                rewriter.map(o.value()), graph.type(o.value()).dtype()));
            });
            return rewriter.build();
        }

        /** A constant of another dtype is another constant; anything else is cast. */
        private ValueId cast(ValueId value, DType dtype) {
            return constants
                    .find(value)
                    .map(constant ->
                            builder.filled(constant.value(), constant.type().with(dtype)))
                    .orElseGet(() -> builder.cast(value, dtype));
        }

        private boolean isScalar(Node node) {
            return node.results().stream().allMatch(id -> graph.type(id).elements() == 1);
        }

        /** Whether an operand may be f32 beside narrow ones. */
        private static boolean mayBeWide(Op op, int operand) {
            return op instanceof Normalize && operand > 0
                    || op instanceof Attention attention && attention.biased() && operand == attention.biasIndex()
                    || op instanceof Embedding;
        }

        /** Whether everything that reads a value takes it in f32 beside narrow operands, itself or through views. */
        private boolean isReadWide(ValueId value) {
            List<NodeId> readers = consumers.get(value);
            return !readers.isEmpty()
                    && readers.stream().map(graph::node).allMatch(reader -> isReadWide(reader, value));
        }

        private boolean isReadWide(Node reader, ValueId value) {
            return reader.op() instanceof View
                    ? isReadWide(reader.results().getFirst())
                    : IntStream.range(0, reader.operands().size())
                            .filter(i -> reader.operands().get(i).equals(value))
                            .allMatch(i -> mayBeWide(reader.op(), i));
        }

        /** A view of a parameter that is as good as the parameter. */
        private boolean isWideView(Node node) {
            return node.op() instanceof View
                    && parameter[node.operands().getFirst().index()]
                    && isReadWide(node.results().getFirst());
        }

        private void rewrite(Node node) {
            if (isWideView(node)) {
                parameter[node.results().getFirst().index()] = true;
                rewriter.copy(node);
                return;
            }
            builder.at(node.origin()).as(node.role());
            List<ValueId> operands = new ArrayList<>(rewriter.map(node.operands()));
            Op op = node.op();
            boolean computesNarrow = false;
            for (int i = 0; i < operands.size(); i++) {
                computesNarrow |= builder.type(operands.get(i)).dtype() == narrow
                        || parameter[node.operands().get(i).index()];
            }
            boolean ofLosses = losses.contains(node);
            boolean keepsWide = node.role() == Role.UPDATE
                    || op instanceof NormStatistics
                    || op instanceof CrossEntropy
                    || op instanceof Cast;
            boolean widens = isScalar(node) || ofLosses && !LossesOfRows.isPick(op);
            if (widens && !keepsWide) {
                operands.replaceAll(
                        operand -> builder.type(operand).dtype() == narrow ? cast(operand, DType.F32) : operand);
            } else if (computesNarrow && !keepsWide && !ofLosses) {
                for (int i = 0; i < operands.size(); i++) {
                    if (builder.type(operands.get(i)).dtype() == DType.F32 && !mayBeWide(op, i)) {
                        operands.set(i, cast(operands.get(i), narrow));
                    }
                }
            }
            if (op instanceof Embedding
                    && !ofLosses
                    && builder.type(operands.getFirst()).dtype() == DType.F32) {
                op = new Embedding(Optional.of(narrow));
            }
            List<TensorType> types =
                    op.infer(operands.stream().map(builder::type).toList());
            List<String> names =
                    node.results().stream().map(id -> graph.value(id).name()).toList();
            List<ValueId> results = builder.append(op, operands, types, names, node.clonedFrom());
            for (int i = 0; i < results.size(); i++) {
                ValueId now = results.get(i);
                graph.value(node.results().get(i)).pin().ifPresent(pin -> builder.pin(now, pin));
                rewriter.replace(node.results().get(i), now);
            }
            if (op instanceof Constant constant) {
                constants.put(results.getFirst(), constant);
            }
        }
    }
}
