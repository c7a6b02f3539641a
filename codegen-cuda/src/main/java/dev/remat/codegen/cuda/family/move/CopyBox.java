package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.KernelCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** A box that is moved between strided places, with as few axes as both sides allow. */
public record CopyBox(List<Axis> axes) {
    /** One axis; strides count elements. */
    public record Axis(long extent, long source, long target) {}

    public CopyBox {
        axes = List.copyOf(axes);
    }

    /** The box without axes of extent 1, neighbours joined where both sides walk them as one. */
    static CopyBox of(List<Long> extents, List<Long> sources, List<Long> targets) {
        List<Axis> joined = new ArrayList<>();
        for (int i = 0; i < extents.size(); i++) {
            Axis axis = new Axis(extents.get(i), sources.get(i), targets.get(i));
            if (axis.extent == 1) {
                continue;
            }
            if (!joined.isEmpty()) {
                Axis outer = joined.getLast();
                if (outer.source == axis.source * axis.extent && outer.target == axis.target * axis.extent) {
                    joined.removeLast();
                    axis = new Axis(outer.extent * axis.extent, axis.source, axis.target);
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
        if (axes.isEmpty() || axes.getLast().source != 1 || axes.getLast().target != 1) {
            return new Word(bytes);
        }
        Word word = Word.dividing(from, to, axes.getLast().extent * bytes);
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
            words.add(new Axis(axis.extent, axis.source / factor, axis.target / factor));
        }
        words.add(new Axis(axes.getLast().extent / factor, 1, 1));
        return new CopyBox(words);
    }

    /** Whether every index and offset is below 2³¹. */
    boolean isNarrow() {
        long limit = 1L << 31;
        long source = 0;
        long target = 0;
        for (Axis axis : axes) {
            source += (axis.extent - 1) * axis.source;
            target += (axis.extent - 1) * axis.target;
        }
        return elements() < limit && source < limit && target < limit;
    }

    /** Declares the box as parameters and returns the C++ expression that makes it; at least one axis is there. */
    String declare(KernelCall call, boolean narrow) {
        List<Axis> all = axes.isEmpty() ? List.of(new Axis(1, 0, 0)) : axes;
        String index = narrow ? "u32" : "u64";
        return "Box<" + all.size() + ", " + index + ">{" + numbers(call, narrow, all, Axis::extent) + ", "
                + divisors(call, narrow, all.stream().map(Axis::extent).toList()) + ", "
                + numbers(call, narrow, all, Axis::source) + ", " + numbers(call, narrow, all, Axis::target) + "}";
    }

    static <A> String numbers(KernelCall call, boolean narrow, List<A> axes, ToLongFunction<A> number) {
        List<String> names = new ArrayList<>();
        for (A axis : axes) {
            long value = number.applyAsLong(axis);
            names.add(call.index(narrow, value));
        }
        return "{" + String.join(", ", names) + "}";
    }

    /** What kernels need to divide by each of {@code extents}. */
    static String divisors(KernelCall call, boolean narrow, List<Long> extents) {
        List<String> names = new ArrayList<>();
        for (long extent : extents) {
            names.add(call.divisor(narrow, extent));
        }
        return "{" + String.join(", ", names) + "}";
    }
}
