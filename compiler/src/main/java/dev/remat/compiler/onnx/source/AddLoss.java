package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.Body;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Statement;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import java.util.List;

/** Adds targets and a loss to a model that has neither. */
final class AddLoss {
    /**
     * What is added.
     *
     * @param name of the loss
     * @param targets name of the new input
     * @param logits what the loss is of: the first output, or what is before its last softmax or sigmoid
     */
    record Added(Loss kind, String name, String targets, TensorType targetType, String logits) {
        String statement() {
            return name + " = " + kind.function() + "(" + logits + ", " + targets + ")";
        }
    }

    private AddLoss() {}

    /** @param output the first of the model's */
    static Added run(Loss kind, Body body, String output, TensorType type, Location place) {
        String logits = body.statements().stream()
                .filter(statement -> statement.names().equals(List.of(output)))
                .map(Statement::value)
                .flatMap(value -> kind.before(value.text()).stream())
                .findFirst()
                .orElse(output);
        if (!type.dtype().isFloat() || kind == Loss.CROSS_ENTROPY && type.rank() < 2) {
            throw new ModelException(List.of(Diagnostic.error(
                    RefusedException.Kind.DETAIL.code(),
                    place,
                    "--loss " + kind.label() + " is of floating point numbers"
                            + (kind == Loss.CROSS_ENTROPY ? ", classes along the last of several axes" : "")
                            + ", and the output " + output + " is " + type,
                    "--outputs names another value, first")));
        }
        TensorType targetType = kind == Loss.CROSS_ENTROPY
                ? new TensorType(DType.I64, new Shape(type.shape().dims().subList(0, type.rank() - 1)))
                : type;
        return new Added(kind, body.names().fresh("loss"), body.names().fresh("targets"), targetType, logits);
    }
}
