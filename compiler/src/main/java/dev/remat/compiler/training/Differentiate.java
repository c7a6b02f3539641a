package dev.remat.compiler.training;

import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.GradientContext;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.StopGradient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Appends the reverse sweep (Linnainmaa, 1970): walks the forward nodes backwards and lets each contribute gradients by
 * its operands. Contributions to one value are added in the order in which the walk meets them. A parameter's gradient
 * is handed on as soon as its last contribution is in, so that an update can follow at once.
 *
 * <pre>
 * before: %2 = mul(%0, %1) forward         output "loss" %2
 * after:  %2 = mul(%0, %1) forward
 *         %3 = constant{value=1.0}() backward
 *         %4 = mul(%3, %0) backward        gradient by %1
 * </pre>
 *
 * <p>Requires a static graph with a scalar loss. Update nodes of the forward graph move after the loss.
 */
public final class Differentiate {
    /** What becomes of the gradients. */
    public interface Completion {
        /** Adds inputs of its own, after those of the forward graph. */
        void begin(GraphBuilder builder, List<ValueId> parameters);

        /** Takes a parameter whose gradient is complete. */
        void complete(GraphBuilder builder, ParameterGradient gradient);

        /** Called when every gradient is complete, in the order in which they were. */
        void end(GraphBuilder builder, List<ParameterGradient> gradients);
    }

    private final Graph forward;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final Completion completion;
    private final boolean[] needed;
    private final ValueMap<ValueId> gradients;
    private final List<ParameterGradient> complete = new ArrayList<>();

    private Differentiate(Graph forward, Completion completion) {
        this.forward = forward;
        this.rewriter = new GraphRewriter(forward);
        this.builder = rewriter.target();
        this.completion = completion;
        this.needed = dependsOnParameters(forward);
        this.gradients = new ValueMap<>(forward.values().size());
    }

    /** @param loss output of {@code forward} to differentiate */
    public static TrainingGraph run(Graph forward, ValueId loss, Completion completion) {
        return new Differentiate(forward, completion).differentiate(loss);
    }

    private TrainingGraph differentiate(ValueId loss) {
        rewriter.copyInputs();
        completion.begin(builder, trainedParameters());
        List<Node> effects = new ArrayList<>();
        for (Node node : forward.nodes()) {
            if (node.role() == Role.UPDATE) {
                effects.add(node);
            } else {
                rewriter.copy(node);
            }
        }
        effects.forEach(rewriter::copy);

        builder.as(Role.BACKWARD).at(Origin.NONE);
        contribute(loss, builder.filled(1, forward.type(loss)));
        List<List<ValueId>> finished = parametersByFirstReader();
        for (Node node : forward.nodes().reversed()) {
            differentiate(node);
            finished.get(node.id().index()).forEach(this::finish);
        }
        completion.end(builder, complete);
        rewriter.copyOutputs();
        return new TrainingGraph(builder.build(), rewriter.map(loss), complete);
    }

    private void differentiate(Node node) {
        boolean reached = node.results().stream().anyMatch(gradients::contains);
        boolean wanted = node.operands().stream().anyMatch(id -> needed[id.index()]);
        if (!reached || !wanted || node.role() == Role.UPDATE || !node.op().isDifferentiable()) {
            return;
        }
        Origin origin = node.origin();
        builder.as(Role.BACKWARD).at(new Origin(origin.location(), origin.scope(), Optional.empty()));
        node.op().differentiate(new Context(node));
    }

    private void finish(ValueId parameter) {
        gradients.find(parameter).ifPresent(gradient -> {
            builder.rename(gradient, "grad." + forward.value(parameter).name());
            complete.add(new ParameterGradient(rewriter.map(parameter), gradient));
            completion.complete(builder, complete.getLast());
        });
    }

    private List<ValueId> trainedParameters() {
        return forward.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(input -> rewriter.map(input.value()))
                .toList();
    }

    private void contribute(ValueId value, ValueId gradient) {
        TensorType expected = forward.type(value);
        if (!builder.type(gradient).equals(expected)) {
            throw new IllegalStateException("gradient by "
                    + forward.value(value).name() + " is " + builder.type(gradient) + " instead of " + expected);
        }
        gradients.put(
                value,
                gradients.find(value).map(sum -> builder.add(sum, gradient)).orElse(gradient));
    }

    /** Parameters to finish after each node: the first that reads one is the last that the walk meets. */
    private List<List<ValueId>> parametersByFirstReader() {
        List<List<ValueId>> finished = new ArrayList<>();
        forward.nodes().forEach(node -> finished.add(List.of()));
        ValueMap<List<NodeId>> consumers = forward.consumers();
        for (GraphInput input : forward.inputs()) {
            if (input.kind() == InputKind.PARAMETER
                    && !consumers.get(input.value()).isEmpty()) {
                int first = consumers.get(input.value()).getFirst().index();
                List<ValueId> more = new ArrayList<>(finished.get(first));
                more.add(input.value());
                finished.set(first, more);
            }
        }
        return finished;
    }

    private static boolean[] dependsOnParameters(Graph graph) {
        boolean[] depends = new boolean[graph.values().size()];
        for (GraphInput input : graph.inputs()) {
            depends[input.value().index()] = input.kind() == InputKind.PARAMETER;
        }
        for (Node node : graph.nodes()) {
            boolean any = !(node.op() instanceof StopGradient)
                    && node.operands().stream().anyMatch(id -> depends[id.index()]);
            for (ValueId result : node.results()) {
                depends[result.index()] = any && graph.type(result).dtype().isFloat();
            }
        }
        return depends;
    }

    private final class Context implements GradientContext {
        private final Node node;

        Context(Node node) {
            this.node = node;
        }

        @Override
        public int operandCount() {
            return node.operands().size();
        }

        @Override
        public ValueId operand(int index) {
            return rewriter.map(node.operands().get(index));
        }

        @Override
        public ValueId result(int index) {
            return rewriter.map(node.results().get(index));
        }

        @Override
        public Optional<ValueId> upstream(int index) {
            return gradients.find(node.results().get(index));
        }

        @Override
        public boolean wanted(int index) {
            return needed[node.operands().get(index).index()];
        }

        @Override
        public void contribute(int index, ValueId gradient) {
            if (wanted(index)) {
                Differentiate.this.contribute(node.operands().get(index), gradient);
            }
        }

        @Override
        public List<ValueId> emit(Op op, List<ValueId> operands) {
            return builder.emit(op, operands);
        }

        @Override
        public TensorType type(ValueId value) {
            return builder.type(value);
        }
    }
}
