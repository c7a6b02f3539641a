package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.MatMul;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Sums of products over named axes, in Einstein's notation. Operands are contracted in pairs from the left, each pair
 * as one batched matrix product; axes that an ellipsis stands for are aligned at the end and broadcast.
 */
public final class Einsum {
    private static final List<String> OPERANDS = List.of("a", "b", "c", "d");

    public static final Builtin BUILTIN = Builtin.function(
            "einsum",
            "equation: string, a: tensor, b: tensor = none, c: tensor = none, d: tensor = none",
            "Products summed over the axes that the result lacks: `einsum(\"bhid,bhjd->bhij\", q, k)`; `...` stands"
                    + " for further axes.",
            (args, out) -> new Einsum(args, out).run());

    /** A tensor and what its axes are called. */
    private record Term(ValueId value, String axes) {}

    private final String equation;
    private final Emission out;
    private final List<Term> terms = new ArrayList<>();
    private final Map<Character, Dim> extents = new LinkedHashMap<>();
    private final String result;

    private Einsum(Arguments args, Emission out) {
        this.equation = args.text("equation");
        this.out = out;
        String[] sides = equation.replace(" ", "").split("->", -1);
        String[] inputs = sides[0].split(",", -1);
        List<ValueId> operands =
                OPERANDS.stream().filter(args::isGiven).map(args::tensor).toList();
        if (sides.length > 2 || inputs.length != operands.size()) {
            throw wrong("it names " + inputs.length + " operands, and " + operands.size() + " are given");
        }
        int unnamed = 0;
        for (int i = 0; i < inputs.length; i++) {
            int rank = out.type(operands.get(i)).rank();
            String axes = spelled(inputs[i], rank - (inputs[i].length() - 3));
            unnamed = Math.max(unnamed, inputs[i].contains("...") ? rank - (inputs[i].length() - 3) : 0);
            terms.add(term(operands.get(i), axes));
        }
        result = sides.length == 2 ? spelled(sides[1], unnamed) : implied(sides[0], unnamed);
        for (int i = 0; i < result.length(); i++) {
            if (!extents.containsKey(result.charAt(i))) {
                throw wrong("no operand has the axis '" + result.charAt(i) + "' of the result");
            }
        }
        checkOnce(result);
    }

    /** Letters for the {@code count} axes behind an ellipsis: digits, of which 0 is the last axis. */
    private String spelled(String axes, int count) {
        String letters = axes.replace("...", "");
        if (!letters.chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')) {
            throw wrong("axes are called by letters, and there is '" + axes + "'");
        }
        if (letters.equals(axes)) {
            return axes;
        }
        StringBuilder digits = new StringBuilder();
        for (int i = Math.max(0, count) - 1; i >= 0; i--) {
            digits.append((char) ('0' + i));
        }
        return axes.replaceFirst("\\.\\.\\.", digits.toString());
    }

    private Term term(ValueId operand, String axes) {
        TensorType type = out.type(operand);
        if (axes.length() != type.rank()) {
            throw wrong("'" + axes + "' does not name the axes of " + type);
        }
        checkOnce(axes);
        for (int i = 0; i < axes.length(); i++) {
            Dim extent = type.dim(i);
            Dim known = extents.putIfAbsent(axes.charAt(i), extent);
            if (known != null && !known.equals(extent)) {
                boolean broadcasts = axes.charAt(i) <= '9' && (known.is(1) || extent.is(1));
                if (!broadcasts) {
                    throw wrong("axis '" + axes.charAt(i) + "' has the extents " + known + " and " + extent);
                }
                extents.put(axes.charAt(i), known.is(1) ? extent : known);
            }
        }
        return new Term(operand, axes);
    }

    private void checkOnce(String axes) {
        if (axes.chars().distinct().count() < axes.length()) {
            throw wrong("'" + axes + "' names an axis twice");
        }
    }

    /** Without an arrow: what stands behind ellipses, then every axis that is named once, in alphabetical order. */
    private String implied(String inputs, int unnamed) {
        StringBuilder axes = new StringBuilder(unnamed > 0 ? spelled("...", unnamed) : "");
        inputs.chars()
                .filter(c -> Character.isLetter(c) && inputs.indexOf(c) == inputs.lastIndexOf(c))
                .sorted()
                .forEach(c -> axes.append((char) c));
        return axes.toString();
    }

    private Datum run() {
        Term product = terms.getFirst();
        for (int i = 1; i < terms.size(); i++) {
            List<Term> later = terms.subList(i + 1, terms.size());
            product = contracted(
                    product,
                    terms.get(i),
                    axis -> has(result, axis) || later.stream().anyMatch(term -> has(term.axes, axis)));
        }
        Term sum = summed(product, axis -> has(result, axis));
        return tensor(permuted(sum, result));
    }

    private static boolean has(String axes, int axis) {
        return axes.indexOf(axis) >= 0;
    }

    /** Sums over the axes that are not {@code wanted}. */
    private Term summed(Term term, Predicate<Character> wanted) {
        List<Integer> gone = IntStream.range(0, term.axes.length())
                .filter(i -> !wanted.test(term.axes.charAt(i)))
                .boxed()
                .toList();
        return gone.isEmpty()
                ? term
                : new Term(Tensors.dropped(out.sum(term.value, gone), gone, out), filtered(term.axes, wanted));
    }

    private Term contracted(Term a, Term b, Predicate<Character> kept) {
        Term left = summed(a, axis -> kept.test(axis) || has(b.axes, axis));
        Term right = summed(b, axis -> kept.test(axis) || has(a.axes, axis));
        String shared = filtered(left.axes, axis -> has(right.axes, axis));
        String batch = filtered(shared, kept);
        String inner = filtered(shared, axis -> !kept.test(axis));
        String rows = filtered(left.axes, axis -> !has(shared, axis));
        String columns = filtered(right.axes, axis -> !has(shared, axis));
        String axes = batch + rows + columns;
        if (inner.isEmpty()) {
            ValueId first = apart(left, batch + rows, axes);
            return new Term(out.mul(first, apart(right, batch + columns, axes)), axes);
        }
        boolean leftTransposed = left.axes.equals(batch + inner + rows) && !rows.isEmpty();
        boolean rightTransposed = right.axes.equals(batch + columns + inner);
        ValueId first = leftTransposed ? matrix(left, batch, inner, rows) : matrix(left, batch, rows, inner);
        ValueId second = rightTransposed ? matrix(right, batch, columns, inner) : matrix(right, batch, inner, columns);
        ValueId product = out.apply(new MatMul(leftTransposed, rightTransposed), first, second);
        return new Term(out.reshape(product, shape(axes)), axes);
    }

    /** {@code [batch…, rows, columns]}, each of the latter joined from several axes. */
    private ValueId matrix(Term term, String batch, String rows, String columns) {
        ValueId ordered = full(term, batch + rows + columns);
        List<Dim> dims = new ArrayList<>(shape(batch).dims());
        dims.add(shape(rows).elements());
        dims.add(shape(columns).elements());
        return out.reshape(ordered, new Shape(dims));
    }

    /** Repeated along the axes of {@code all} that it lacks. */
    private ValueId apart(Term term, String own, String all) {
        List<Dim> dims = all.chars()
                .mapToObj(axis -> has(own, axis) ? extents.get((char) axis) : Dim.ONE)
                .toList();
        return out.expand(out.reshape(full(term, own), new Shape(dims)), shape(all));
    }

    /** In the order of {@code axes}, with every axis of its full extent. */
    private ValueId full(Term term, String axes) {
        return out.expand(permuted(term, axes), shape(axes));
    }

    private ValueId permuted(Term term, String axes) {
        List<Integer> order = axes.chars().mapToObj(term.axes::indexOf).toList();
        return term.axes.equals(axes) ? term.value : out.transpose(term.value, order);
    }

    private Shape shape(String axes) {
        return new Shape(axes.chars().mapToObj(axis -> extents.get((char) axis)).toList());
    }

    private static String filtered(String axes, Predicate<Character> wanted) {
        StringBuilder left = new StringBuilder();
        Stream<Character> characters = axes.chars().mapToObj(axis -> (char) axis);
        characters.filter(wanted).forEach(left::append);
        return left.toString();
    }

    private SemanticError wrong(String what) {
        return new SemanticError(
                "E0301", "einsum cannot read \"" + equation + "\": " + what, "as in einsum(\"ij,jk->ik\", a, b)");
    }
}
