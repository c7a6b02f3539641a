package dev.remat.compiler.training;

import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Differentiable;
import dev.remat.ir.op.GradientContext;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.StopGradient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The reverse sweep for one loss (Linnainmaa, 1970): walks the forward nodes backwards and lets each contribute
 * gradients by its operands. Contributions to one value are added in the order in which the walk meets them. What leads
 * to no trained parameter has no gradient. Gradients by 16-bit copies of parameters are collected in the parameters'
 * f32.
 */
final class ReverseSweep {
    private final Graph forward;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final Predicate<GraphInput> trained;
    private final Differentiate.Completion completion;
    private final boolean[] needed;
    private final NarrowCopies copies;
    private final ValueMap<ValueId> gradients;
    private final List<ParameterGradient> complete = new ArrayList<>();

    private ReverseSweep(GraphRewriter rewriter, Predicate<GraphInput> trained, Differentiate.Completion completion) {
        this.forward = rewriter.source();
        this.rewriter = rewriter;
        this.builder = rewriter.target();
        this.trained = trained;
        this.completion = completion;
        this.needed = dependsOnTrained();
        this.copies = NarrowCopies.of(forward);
        this.gradients = new ValueMap<>(forward.values().size());
    }

    /**
     * Appends to a copy of the forward graph and completes each trained parameter that the loss depends on.
     *
     * @param loss scalar of the source
     */
    static List<ParameterGradient> run(
            GraphRewriter rewriter, ValueId loss, Predicate<GraphInput> trained, Differentiate.Completion completion) {
        return new ReverseSweep(rewriter, trained, completion).run(loss);
    }

    private List<ParameterGradient> run(ValueId loss) {
        builder.as(Role.BACKWARD).at(Origin.NONE);
        contribute(loss, completion.seed(builder, forward.type(loss)));
        List<List<ValueId>> finished = parametersByFirstReader();
        for (Node node : forward.nodes().reversed()) {
            differentiate(node);
            finished.get(node.id().index()).forEach(this::finish);
        }
        return complete;
    }

    private void differentiate(Node node) {
        boolean reached = node.results().stream().anyMatch(gradients::contains);
        boolean wanted = node.operands().stream().anyMatch(id -> needed[id.index()]);
        Optional<Differentiable> op = Differentiable.of(node.op());
        if (!reached || !wanted || node.role() == Role.UPDATE || op.isEmpty()) {
            return;
        }
        Origin origin = node.origin();
        builder.as(Role.BACKWARD).at(origin.call());
        op.get().differentiate(new Context(node));
    }

    private void finish(ValueId parameter) {
        gradients.find(parameter).ifPresent(gradient -> {
            builder.rename(gradient, "grad." + forward.value(parameter).name());
            complete.add(new ParameterGradient(rewriter.map(parameter), gradient));
            completion.complete(builder, complete.getLast());
        });
    }

    private void contribute(ValueId value, ValueId gradient) {
        TensorType type = forward.type(value);
        TensorType expected = copies.contains(value) ? type.with(type.dtype().accumulator()) : type;
        ValueId term = copies.contains(value) ? builder.cast(gradient, expected.dtype()) : gradient;
        if (!builder.type(term).equals(expected)) {
            throw new IllegalStateException("gradient by "
                    + forward.value(value).name() + " is " + builder.type(term) + " instead of " + expected);
        }
        ValueId sum =
                gradients.find(value).map(before -> builder.add(before, term)).orElse(term);
        gradients.put(value, sum);
        if (isParameter(value)) {
            builder.mark(term, Mark.GRADIENT);
            builder.mark(sum, Mark.GRADIENT);
        }
    }

    /** Whether it is trained, or a narrow copy of all of it. */
    private boolean isParameter(ValueId value) {
        return switch (forward.value(value).definition()) {
            case Value.Input(int index) -> trained.test(forward.inputs().get(index));
            case Value.Result(NodeId node, int _) ->
                copies.contains(value) && forward.node(node).op() instanceof Cast;
        };
    }

    /** Parameters to finish after each node: the first that reads one is the last that the walk meets. */
    private List<List<ValueId>> parametersByFirstReader() {
        List<List<ValueId>> finished = new ArrayList<>();
        forward.nodes().forEach(node -> finished.add(List.of()));
        ValueMap<List<NodeId>> consumers = forward.consumers();
        for (GraphInput input : forward.inputs()) {
            if (trained.test(input) && !consumers.get(input.value()).isEmpty()) {
                int first = consumers.get(input.value()).getFirst().index();
                List<ValueId> more = new ArrayList<>(finished.get(first));
                more.add(input.value());
                finished.set(first, more);
            }
        }
        return finished;
    }

    private boolean[] dependsOnTrained() {
        boolean[] depends = new boolean[forward.values().size()];
        for (GraphInput input : forward.inputs()) {
            depends[input.value().index()] = trained.test(input);
        }
        for (Node node : forward.nodes()) {
            boolean any = !(node.op() instanceof StopGradient)
                    && node.operands().stream().anyMatch(id -> depends[id.index()]);
            for (ValueId result : node.results()) {
                depends[result.index()] = any && forward.type(result).dtype().isFloat();
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
        public boolean wide(int index) {
            return copies.contains(node.operands().get(index));
        }

        @Override
        public void contribute(int index, ValueId gradient) {
            if (wanted(index)) {
                ReverseSweep.this.contribute(node.operands().get(index), gradient);
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
