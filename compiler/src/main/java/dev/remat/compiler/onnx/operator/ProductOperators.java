package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Matrix products and sums of products. */
final class ProductOperators {
    private static final int MOST_OPERANDS = 4;

    private ProductOperators() {}

    static List<Operator> table() {
        return List.of(
                direct("MatMul", use -> product(use, use.in(0), use.in(1))),
                composed("Gemm", ProductOperators::gemm),
                direct("Einsum", ProductOperators::einsum));
    }

    /** As NumPy's matmul: vectors are rows on the left and columns on the right. */
    static Tensor product(Use use, Tensor left, Tensor right) {
        Expressions out = use.out();
        Tensor a = left.rank() == 1 ? out.unsqueeze(left, 0) : left;
        Tensor b = right.rank() == 1 ? out.unsqueeze(right, 1) : right;
        Tensor product = a.dtype().isInteger() ? integers(use, a, b) : out.matmul(a, b);
        product = left.rank() == 1 ? out.squeeze(product, product.rank() - 2) : product;
        return right.rank() == 1 ? out.squeeze(product, product.rank() - 1) : product;
    }

    /** Products of integers are exact in f64 as long as they are below 2^53. */
    private static Tensor integers(Use use, Tensor a, Tensor b) {
        Expressions out = use.out();
        return out.cast(out.matmul(out.cast(a, DType.F64), out.cast(b, DType.F64)), a.dtype());
    }

    private static Tensor gemm(Use use) {
        Expressions out = use.out();
        Tensor a = use.flag("transA", false) ? out.permute(use.in(0), List.of(1, 0)) : use.in(0);
        Tensor b = use.flag("transB", false) ? out.permute(use.in(1), List.of(1, 0)) : use.in(1);
        Tensor product = ElementwiseOperators.times(use, product(use, a, b), use.real("alpha", 1));
        float beta = use.real("beta", 1);
        return use.find(2).isEmpty() || beta == 0
                ? product
                : out.infix("+", product, ElementwiseOperators.times(use, use.in(2), beta));
    }

    private static Tensor einsum(Use use) {
        List<Tensor> operands = use.all();
        String equation = use.text("equation", "").replace(" ", "");
        String[] sides = equation.split("->", -1);
        String[] terms = sides[0].split(",", -1);
        if (operands.size() > MOST_OPERANDS || terms.length != operands.size()) {
            throw use.detail("its equation '" + equation + "' is of more than " + MOST_OPERANDS + " operands");
        }
        for (String term : terms) {
            if (term.replace(".", "").chars().distinct().count()
                    < term.replace(".", "").length()) {
                throw use.detail("its equation '" + equation + "' names an axis of one operand twice");
            }
        }
        SequencedMap<Character, Dim> extents = new LinkedHashMap<>();
        List<Dim> further = new ArrayList<>();
        for (int i = 0; i < terms.length; i++) {
            Tensor x = operands.get(i);
            int dots = terms[i].indexOf("...");
            int hidden = dots < 0 ? 0 : x.rank() - (terms[i].length() - 3);
            if (dots < 0 && terms[i].length() != x.rank() || hidden < 0) {
                throw use.detail(
                        "its equation is '" + equation + "', and operand " + (i + 1) + " has " + x.rank() + " axes");
            }
            List<Dim> open = dots < 0 ? List.of() : x.dims().subList(dots, dots + hidden);
            if (dots >= 0) {
                Shape both = use.out().broadcast(new Shape(further), new Shape(open));
                further = new ArrayList<>(both.dims());
            }
            int axis = 0;
            for (char letter : terms[i].replace("...", ".").toCharArray()) {
                if (letter == '.') {
                    axis += hidden;
                } else {
                    Dim dim = x.dim(axis++);
                    Dim known = extents.get(letter);
                    extents.put(
                            letter, known == null ? dim : use.out().symbols().broadcast(known, dim));
                }
            }
        }
        String result = sides.length > 1 ? sides[1] : implied(sides[0]);
        List<Dim> dims = new ArrayList<>();
        for (char letter : result.replace("...", ".").toCharArray()) {
            if (letter == '.') {
                dims.addAll(further);
            } else {
                dims.add(extents.get(letter));
            }
        }
        List<Object> arguments = new ArrayList<>(List.of(sides[0] + "->" + result));
        arguments.addAll(operands);
        return use.out().call("einsum", operands.getFirst().type().with(new Shape(dims)), arguments.toArray());
    }

    /** Letters that stand once, in order. */
    private static String implied(String terms) {
        StringBuilder result = new StringBuilder(terms.contains("...") ? "..." : "");
        terms.chars()
                .filter(Character::isLetter)
                .sorted()
                .filter(letter -> terms.indexOf(letter) == terms.lastIndexOf(letter))
                .forEach(letter -> result.append((char) letter));
        return result.toString();
    }
}
