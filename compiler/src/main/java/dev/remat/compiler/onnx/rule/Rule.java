package dev.remat.compiler.onnx.rule;

import dev.remat.compiler.onnx.statement.Tensor;
import java.util.List;

/** Writes what an operator computes. */
@FunctionalInterface
public interface Rule {
    /** Results in the order of the operator's outputs; ones behind the last may be left out if nothing reads them. */
    List<Tensor> write(Use use);

    /** Of an operator with one result. */
    @FunctionalInterface
    public interface Single {
        Tensor write(Use use);
    }

    public static Rule of(Single rule) {
        return use -> List.of(rule.write(use));
    }
}
