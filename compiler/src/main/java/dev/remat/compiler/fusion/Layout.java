package dev.remat.compiler.fusion;

import dev.remat.ir.StridedView;
import dev.remat.ir.ValueId;

/**
 * Where a value's elements are.
 *
 * @param base the value whose buffer holds them
 * @param view how they lie there
 */
public record Layout(ValueId base, StridedView view) {
    /** Whether the elements are a run of the buffer in row-major order. */
    public boolean isContiguous() {
        return view.isContiguous();
    }
}
