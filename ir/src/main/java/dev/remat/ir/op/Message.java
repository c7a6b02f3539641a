package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * One end of a way from a stage of a model to another. Both ends have the same number; between two stages messages go
 * in their order. A message runs once, and behind the messages whose {@link #TOKEN} it reads.
 */
public sealed interface Message extends AfterLoss permits Receive, Send {
    /** Type of a message's last result, which has no content. */
    TensorType TOKEN = TensorType.scalar(DType.I32);

    /** Number among all messages of a step. */
    int number();

    /** The stage at the other end. */
    int stage();

    @Override
    default long flops(List<TensorType> operands, List<TensorType> results) {
        return 0;
    }
}
