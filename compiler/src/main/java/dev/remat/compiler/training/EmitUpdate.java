package dev.remat.compiler.training;

import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pointwise;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.UpdateProgram;
import dev.remat.ir.op.UpdateProgram.Step;
import dev.remat.ir.op.UpdateProgram.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An optimizer's step as nodes of a training graph. What it computes element by element for the parameter and the
 * states of its shape becomes one update; what that reads beside them are nodes in front of it: scalars in f64, tensors
 * in the dtype of the parameter.
 *
 * <pre>
 * before: %m' = add(mul(%m, 0.9), %gradient)   %parameter' = sub(%parameter, mul(broadcast(mul(%lr, 2)), %m'))
 * after:  %1 f64[] = mul(%learning_rate, 2)
 *         %w', %m' = update{steps=[mul x2 0.9, add t0 g, mul x3 t1, sub p t2], results=[t3, t1]}(%w, %grad.w, %m, %1)
 * </pre>
 */
final class EmitUpdate {
    /** What is updated and what by. */
    record Target(
            ParameterGradient pair, List<ValueId> states, ValueId rate, ValueId number, Optional<ValueId> factor) {}

    /** @param assigned new values of states that are not of the parameter's shape */
    record Emitted(ElementwiseUpdate op, List<ValueId> operands, Map<ValueId, ValueId> assigned) {}

    /** A node; what is computed for several parameters alike is computed once. */
    record Computed(Op op, List<ValueId> operands) {}

    private final GraphBuilder builder;
    private final Map<Computed, List<ValueId>> computed;
    private final Graph graph;
    private final Target target;
    private final TensorType type;
    /** States by inputs of the step. */
    private final Map<ValueId, ValueId> states = new LinkedHashMap<>();
    /** Values that the parameter, its gradient or states of its shape lead to. */
    private final boolean[] depends;

    private final List<ValueId> operands = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final Map<ValueId, Term> terms = new LinkedHashMap<>();
    private final Map<ValueId, ValueId> nodes = new LinkedHashMap<>();

    private EmitUpdate(GraphBuilder builder, Map<Computed, List<ValueId>> computed, Graph step, Target target) {
        this.builder = builder;
        this.computed = computed;
        this.graph = step;
        this.target = target;
        this.type = builder.type(target.pair().parameter());
        this.depends = new boolean[step.values().size()];
    }

    /**
     * @param computed nodes so far, to which this adds its own
     * @param step as {@link Optimizer#step} gives it for the parameter's shape
     */
    static Emitted run(
            GraphBuilder builder, Map<Computed, List<ValueId>> computed, String rule, Graph step, Target target) {
        return new EmitUpdate(builder, computed, step, target).run(rule);
    }

    private Emitted run(String rule) {
        operand(graph.inputs().get(0).value(), target.pair().parameter());
        operand(graph.inputs().get(1).value(), target.pair().gradient());
        List<ValueId> elementwise = new ArrayList<>();
        List<ValueId> others = new ArrayList<>();
        for (GraphInput input : graph.inputs()) {
            if (input.kind() == InputKind.STATE) {
                ValueId state = target.states().get(states.size());
                states.put(input.value(), state);
                boolean whole = builder.type(state).equals(type);
                (whole ? elementwise : others).add(input.value());
                if (whole) {
                    operand(input.value(), state);
                }
            }
        }
        target.factor().ifPresent(factor -> {
            Term gradient = new Term.Operand(1);
            terms.put(graph.inputs().get(1).value(), add(new Binary(Binary.Kind.MUL), gradient, other(factor)));
        });
        for (Node node : graph.nodes()) {
            boolean any = node.operands().stream().anyMatch(operand -> depends[operand.index()]);
            node.results().forEach(result -> depends[result.index()] = any);
        }
        List<Term> results = Stream.concat(
                        Stream.of(graph.output(Optimizer.PARAMETER)),
                        elementwise.stream().map(this::next))
                .map(this::term)
                .toList();
        Map<ValueId, ValueId> assigned = new LinkedHashMap<>();
        for (ValueId other : others) {
            ValueId state = states.get(other);
            assigned.put(state, cast(node(next(other)), builder.type(state).dtype()));
        }
        UpdateProgram program = new UpdateProgram(steps, results);
        return new Emitted(new ElementwiseUpdate(rule, elementwise.size(), program), operands, assigned);
    }

    private void operand(ValueId input, ValueId value) {
        terms.put(input, new Term.Operand(operands.size()));
        operands.add(value);
        depends[input.index()] = true;
    }

    /** What becomes of a state. */
    private ValueId next(ValueId state) {
        return graph.output(graph.value(state).name());
    }

    /** A value of the parameter's shape, or a scalar, as the update reads it. */
    private Term term(ValueId value) {
        Term known = terms.get(value);
        if (known == null) {
            known = graph.value(value)
                    .producer()
                    .map(producer -> term(value, graph.node(producer)))
                    .orElseGet(() -> other(node(value)));
            terms.put(value, known);
        }
        return known;
    }

    private Term term(ValueId value, Node node) {
        if (node.op() instanceof Constant constant) {
            return new Term.Real(constant.value());
        } else if (node.op() instanceof Broadcast) {
            return repeated(node.operands().getFirst());
        } else if (node.op() instanceof Reshape
                && graph.type(node.operands().getFirst()).rank() == 0) {
            return term(node.operands().getFirst());
        } else if (node.op() instanceof Cast
                && isFloat(value)
                && isFloat(node.operands().getFirst())) {
            return term(node.operands().getFirst());
        } else if (node.op() instanceof Pointwise op && isStep(value)) {
            return add(op, node.operands().stream().map(this::term).toArray(Term[]::new));
        } else if (node.op() instanceof Clamp clamp && isStep(value)) {
            Term least = add(new Binary(Binary.Kind.MAX), term(node.operands().getFirst()), new Term.Real(clamp.low()));
            return add(new Binary(Binary.Kind.MIN), least, new Term.Real(clamp.high()));
        }
        return other(node(value));
    }

    private boolean isFloat(ValueId value) {
        return graph.type(value).dtype().isFloat();
    }

    private boolean isStep(ValueId value) {
        return graph.type(value).shape().equals(type.shape()) && (type.rank() > 0 || depends[value.index()]);
    }

    /** Of one scalar in all places its own term. */
    private Term repeated(ValueId value) {
        Optional<Node> reshaped =
                graph.value(value).producer().map(graph::node).filter(node -> node.op() instanceof Reshape);
        ValueId source = reshaped.map(node -> node.operands().getFirst()).orElse(value);
        boolean scalar = graph.type(source).rank() == 0 || isConstant(value);
        return scalar ? term(isConstant(value) ? value : source) : other(node(value));
    }

    private boolean isConstant(ValueId value) {
        return graph.value(value)
                .producer()
                .filter(node -> graph.node(node).op() instanceof Constant)
                .isPresent();
    }

    private Term add(Pointwise op, Term... in) {
        Step step = new Step(op, List.of(in));
        int known = steps.indexOf(step);
        if (known < 0) {
            steps.add(step);
        }
        return new Term.Result(known < 0 ? steps.size() - 1 : known);
    }

    private Term other(ValueId value) {
        int known = operands.indexOf(value);
        if (known < 0) {
            operands.add(value);
        }
        return new Term.Operand(known < 0 ? operands.size() - 1 : known);
    }

    /** A value as one of the training graph. */
    private ValueId node(ValueId value) {
        ValueId known = nodes.get(value);
        if (known == null) {
            graph.value(value)
                    .producer()
                    .map(graph::node)
                    .ifPresentOrElse(this::copy, () -> nodes.put(value, input(value)));
            known = nodes.get(value);
        }
        return known;
    }

    private ValueId input(ValueId value) {
        return switch (graph.value(value).name()) {
            case Optimizer.PARAMETER -> settled(target.pair().parameter());
            case Optimizer.GRADIENT -> settled(gradient());
            case Optimizer.RATE -> target.rate();
            case Optimizer.STEP -> cast(target.number(), DType.F64);
            default -> settled(states.get(value));
        };
    }

    private ValueId gradient() {
        ValueId wide = cast(target.pair().gradient(), type.dtype());
        return target.factor()
                .map(factor -> builder.mul(wide, builder.expand(cast(factor, type.dtype()), type.shape())))
                .orElse(wide);
    }

    /** Where a scalar meets a tensor both are of the parameter's dtype. */
    private void copy(Node node) {
        boolean tensors = Stream.concat(node.operands().stream(), node.results().stream())
                .anyMatch(each -> graph.type(each).rank() > 0);
        DType wide = tensors ? type.dtype() : DType.F64;
        List<ValueId> in = node.operands().stream()
                .map(this::node)
                .map(each -> builder.type(each).dtype().isFloat() ? cast(each, wide) : each)
                .toList();
        List<ValueId> results = compute(node.op().retype(each -> each == DType.F64 ? wide : each), in);
        for (int result = 0; result < results.size(); result++) {
            nodes.put(node.results().get(result), settled(results.get(result)));
        }
    }

    private ValueId settled(ValueId value) {
        TensorType made = builder.type(value);
        return made.dtype().isFloat() ? cast(value, made.rank() == 0 ? DType.F64 : type.dtype()) : value;
    }

    private ValueId cast(ValueId value, DType to) {
        return builder.type(value).dtype() == to
                ? value
                : compute(new Cast(to), List.of(value)).getFirst();
    }

    private List<ValueId> compute(Op op, List<ValueId> in) {
        return computed.computeIfAbsent(new Computed(op, in), _ -> builder.emit(op, in));
    }
}
