package dev.remat.runtime.cpu.attention;

import dev.remat.runtime.cpu.support.TensorView;
import java.util.Optional;

/** What attention reads; mask and bias repeat to [batch, heads, queries, keys]. */
public record AttentionOperands(
        TensorView q, TensorView k, TensorView v, Optional<TensorView> mask, Optional<TensorView> bias) {}
