package dev.remat.runtime.cpu.attention;

import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.support.TensorView;

/**
 * What the gradients of attention read.
 *
 * @param gradient of the loss by the results
 * @param output the results
 * @param lse address of the forward pass's log-sum-exp
 */
record SlopeOperands(AttentionOperands forward, TensorView gradient, TensorView output, long lse) {
    static SlopeOperands of(AttentionGradient op, Binding in) {
        return new SlopeOperands(AttentionOperands.of(op, in), in.view(0), in.view(4), in.dense(5));
    }
}
