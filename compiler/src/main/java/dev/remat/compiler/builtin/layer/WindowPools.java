package dev.remat.compiler.builtin.layer;

import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.PoolWindow;
import java.util.List;

/** What becomes of a window that moves over images [N, C, H, W]; pools of every rank are made of these. */
@FunctionalInterface
interface WindowPools {
    /** @return [N, C, h, w] */
    ValueId over(PoolWindow window, ValueId images, Emission out);

    static ValueId max(PoolWindow window, ValueId images, Emission out) {
        return out.apply(new MaxPool2d(window), images);
    }

    /**
     * Means of windows. The mean of one that reaches beyond the padding counts padding, but never what lies beyond it.
     *
     * @param countPadding divide by padding, too, instead of by the elements inside the images alone
     */
    static WindowPools mean(boolean countPadding) {
        return (window, images, out) -> countPadding && window.partial()
                ? meanWithinPadding(window, images, out)
                : out.apply(new AvgPool2d(window, countPadding), images);
    }

    /** Zeros that are elements of the image are counted, and what is not there is not. */
    private static ValueId meanWithinPadding(PoolWindow window, ValueId images, Emission out) {
        TensorType type = out.type(images);
        List<Dim> sides = List.of(Dim.ZERO, Dim.ZERO, Dim.of(window.paddingH()), Dim.of(window.paddingW()));
        boolean padded = window.paddingH() > 0 || window.paddingW() > 0;
        ValueId within = padded ? out.apply(new Pad(sides, sides, 0), images) : images;
        ValueId mean = out.apply(new AvgPool2d(window.unpadded(), false), within);
        // A window that begins in the padding behind the image does not count.
        ValueId rows = SelectionFunctions.part(mean, 2, Dim.ZERO, window.outputH(type.dim(2)), out);
        return SelectionFunctions.part(rows, 3, Dim.ZERO, window.outputW(type.dim(3)), out);
    }
}
