package dev.remat.tests.reference;

import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.SequencedMap;

/**
 * The oracle: evaluates a static graph node by node in double precision, in the plainest way. Nothing is overwritten;
 * an update's results are values beside its operands.
 *
 * <p>A random operation draws with the ordinal that its seed operand holds, so a seed that was handed on wrongly shows.
 *
 * @param userSeed key of the random numbers
 */
public record ReferenceInterpreter(Rounding rounding, long userSeed) {
    /**
     * Every value of the graph.
     *
     * @param inputs by the name of the graph's inputs
     * @param step counts from 1; reaches random draws only, the step input is given among the others
     */
    public ValueMap<Tensor> run(Graph graph, SequencedMap<String, Tensor> inputs, long step) {
        ValueMap<Tensor> values = new ValueMap<>(graph.values().size());
        for (GraphInput input : graph.inputs()) {
            String name = graph.value(input.value()).name();
            Tensor tensor = inputs.get(name);
            TensorType type = graph.type(input.value());
            if (tensor == null || !tensor.type().equals(type)) {
                throw new IllegalArgumentException("input " + name + " of " + type + " is " + tensor);
            }
            values.put(input.value(), rounding.round(tensor));
        }
        for (Node node : graph.nodes()) {
            List<Tensor> operands = node.operands().stream().map(values::get).toList();
            List<Tensor> results = apply(node.op(), operands, step);
            for (int i = 0; i < results.size(); i++) {
                values.put(node.results().get(i), results.get(i));
            }
        }
        return values;
    }

    /** The results of one operation in the first micro-batch of a step. */
    public List<Tensor> apply(Op op, List<Tensor> operands, long step) {
        return apply(op, operands, step, 0);
    }

    /** The results of one operation. */
    public List<Tensor> apply(Op op, List<Tensor> operands, long step, int microBatch) {
        List<TensorType> types = op.infer(operands.stream().map(Tensor::type).toList());
        return new Evaluation(operands, types, userSeed, step, microBatch)
                .apply(op).stream().map(rounding::round).toList();
    }
}
