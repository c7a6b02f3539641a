package dev.remat.runtime.cpu.attention;

import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.support.TensorView;
import java.util.Optional;

/** What attention reads; mask and bias repeat to [batch, heads, queries, keys]. */
record AttentionOperands(
        TensorView q, TensorView k, TensorView v, Optional<TensorView> mask, Optional<TensorView> bias) {
    static AttentionOperands of(Attention op, Binding in) {
        return of(op, in, 0, op.maskIndex(), op.biasIndex());
    }

    static AttentionOperands of(AttentionGradient op, Binding in) {
        return of(op.forward(), in, 1, op.maskIndex(), op.biasIndex());
    }

    private static AttentionOperands of(Attention op, Binding in, int first, int mask, int bias) {
        return new AttentionOperands(
                in.view(first),
                in.view(first + 1),
                in.view(first + 2),
                op.masked() ? Optional.of(in.view(mask)) : Optional.empty(),
                op.biased() ? Optional.of(in.view(bias)) : Optional.empty());
    }
}
