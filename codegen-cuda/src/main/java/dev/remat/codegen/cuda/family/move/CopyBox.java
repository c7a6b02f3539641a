package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.KernelCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A box that is moved between strided places, padded or as it is, with as few axes as both sides allow. */
public record CopyBox(List<Axis> axes) {
    /**
     * One axis; strides count elements.
     *
     * @param extent of what is written
     * @param low elements of padding before what is read
     * @param inside extent of what is read
     */
    public record Axis(long extent, long low, long inside, long source, long target) {
        /** Without padding. */
        public Axis(long extent, long source, long target) {
            this(extent, 0, extent, source, target);
        }

        private boolean isPadded() {
            return extent != inside;
        }
    }

    public CopyBox {
        axes = List.copyOf(axes);
    }

    /** An unpadded box. */
    static CopyBox of(List<Long> extents, List<Long> sources, List<Long> targets) {
        return of(IntStream.range(0, extents.size())
                .mapToObj(i -> new Axis(extents.get(i), sources.get(i), targets.get(i)))
                .toList());
    }

    /** The box without axes of extent 1, unpadded ones joined with those before where both sides walk them as one. */
    static CopyBox of(List<Axis> given) {
        List<Axis> joined = new ArrayList<>();
        for (Axis axis : given) {
            if (axis.extent == 1 && !axis.isPadded()) {
                continue;
            }
            if (!joined.isEmpty() && !axis.isPadded()) {
                Axis outer = joined.getLast();
                long n = axis.extent;
                if ((outer.inside == 1 || outer.source == axis.source * n) && outer.target == axis.target * n) {
                    joined.removeLast();
                    axis = new Axis(outer.extent * n, outer.low * n, outer.inside * n, axis.source, axis.target);
                }
            }
            joined.add(axis);
        }
        return new CopyBox(joined);
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
        if (axes.isEmpty() || axes.getLast().source != 1 && axes.getLast().inside != 1 || axes.getLast().target != 1) {
            return new Word(bytes);
        }
        Axis inner = axes.getLast();
        Word word = Word.dividing(from, to, inner.extent * bytes, inner.low * bytes, inner.inside * bytes);
        for (Axis axis : axes.subList(0, axes.size() - 1)) {
            word = Word.dividing(word.bytes(), axis.source * bytes, axis.target * bytes);
        }
        return word;
    }

    /** The same box counted in words of {@code factor} elements; the innermost axis runs densely on both sides. */
    CopyBox inWordsOf(int factor) {
        if (factor == 1) {
            return this;
        }
        List<Axis> words = new ArrayList<>();
        for (Axis axis : axes.subList(0, axes.size() - 1)) {
            words.add(new Axis(axis.extent, axis.low, axis.inside, axis.source / factor, axis.target / factor));
        }
        Axis inner = axes.getLast();
        words.add(new Axis(inner.extent / factor, inner.low / factor, inner.inside / factor, 1, 1));
        return new CopyBox(words);
    }

    /** Whether every index and offset is below 2³¹. */
    boolean isNarrow() {
        long limit = 1L << 31;
        long source = 0;
        long target = 0;
        for (Axis axis : axes) {
            source += (axis.inside - 1) * axis.source;
            target += (axis.extent - 1) * axis.target;
        }
        return elements() < limit && source < limit && target < limit;
    }

    /**
     * Declares the box as parameters and returns the C++ expression that makes it; at least one axis is there.
     *
     * @param padded whether the result is dense and may have padding
     */
    String declare(KernelCall call, boolean narrow, boolean padded) {
        List<Axis> all = axes.isEmpty() ? List.of(new Axis(1, 0, 0)) : axes;
        List<String> fields = new ArrayList<>();
        fields.add(listed(all, axis -> call.index(narrow, axis.extent)));
        fields.add(listed(all, axis -> call.divisor(narrow, axis.extent)));
        if (padded) {
            fields.add(listed(all, axis -> call.index(narrow, axis.low)));
            fields.add(listed(all, axis -> call.index(narrow, axis.inside)));
        }
        fields.add(listed(all, axis -> call.index(narrow, axis.source)));
        if (!padded) {
            fields.add(listed(all, axis -> call.index(narrow, axis.target)));
        }
        String type = (padded ? "Surrounded<" : "Box<") + all.size() + ", " + (narrow ? "u32" : "u64") + ">";
        return type + "{" + String.join(", ", fields) + "}";
    }

    private static String listed(List<Axis> axes, Function<Axis, String> number) {
        return axes.stream().map(number).collect(Collectors.joining(", ", "{", "}"));
    }
}
