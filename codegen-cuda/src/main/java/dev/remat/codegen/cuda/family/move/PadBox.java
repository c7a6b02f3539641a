package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.KernelCall;
import java.util.ArrayList;
import java.util.List;

/** A dense box around a strided one, with as few axes as padding and strides allow. */
record PadBox(List<Axis> axes) {
    /**
     * One axis.
     *
     * @param extent of the outer box
     * @param low elements before the inner box
     * @param inside extent of the inner box
     * @param source elements from one index to the next in what is padded
     */
    record Axis(long extent, long low, long inside, long source) {
        boolean isPadded() {
            return extent != inside;
        }
    }

    PadBox {
        axes = List.copyOf(axes);
    }

    /** The axes of {@code given}, an unpadded one joined with the axis before it where strides allow. */
    static PadBox of(List<Axis> given) {
        List<Axis> joined = new ArrayList<>();
        for (Axis axis : given) {
            if (axis.extent == 1 && !axis.isPadded()) {
                continue;
            }
            if (!joined.isEmpty() && !axis.isPadded()) {
                Axis outer = joined.getLast();
                if (outer.inside == 1 || outer.source == axis.source * axis.extent) {
                    joined.removeLast();
                    long n = axis.extent;
                    axis = new Axis(outer.extent * n, outer.low * n, outer.inside * n, axis.source);
                }
            }
            joined.add(axis);
        }
        return new PadBox(joined.isEmpty() ? List.of(new Axis(1, 0, 1, 0)) : joined);
    }

    long elements() {
        long product = 1;
        for (Axis axis : axes) {
            product = Math.multiplyExact(product, axis.extent);
        }
        return product;
    }

    /** The widest word that the box can be moved in, from and to the byte addresses. */
    Word word(int bytes, long from, long to) {
        Axis inner = axes.getLast();
        if (inner.source != 1 && inner.inside != 1) {
            return new Word(bytes);
        }
        Word word = Word.dividing(from, to, inner.extent * bytes, inner.low * bytes, inner.inside * bytes);
        for (Axis axis : axes.subList(0, axes.size() - 1)) {
            word = Word.dividing(word.bytes(), axis.source * bytes);
        }
        return word;
    }

    /** The same box counted in words of {@code factor} elements; the innermost axis runs densely. */
    PadBox inWordsOf(int factor) {
        if (factor == 1) {
            return this;
        }
        List<Axis> words = new ArrayList<>();
        for (Axis axis : axes.subList(0, axes.size() - 1)) {
            words.add(new Axis(axis.extent, axis.low, axis.inside, axis.source / factor));
        }
        Axis inner = axes.getLast();
        words.add(new Axis(inner.extent / factor, inner.low / factor, inner.inside / factor, 1));
        return new PadBox(words);
    }

    /** Whether every index and offset is below 2³¹. */
    boolean isNarrow() {
        long limit = 1L << 31;
        long source = 0;
        for (Axis axis : axes) {
            source += (axis.inside - 1) * axis.source;
        }
        return elements() < limit && source < limit;
    }

    /** Declares the box as parameters and returns the C++ expression that makes it. */
    String declare(KernelCall call, boolean narrow) {
        return "Surrounded<" + axes.size() + ", " + (narrow ? "u32" : "u64") + ">{"
                + CopyBox.numbers(call, narrow, axes, Axis::extent) + ", "
                + CopyBox.divisors(call, narrow, axes.stream().map(Axis::extent).toList()) + ", "
                + CopyBox.numbers(call, narrow, axes, Axis::low) + ", "
                + CopyBox.numbers(call, narrow, axes, Axis::inside) + ", "
                + CopyBox.numbers(call, narrow, axes, Axis::source) + "}";
    }
}
