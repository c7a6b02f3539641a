package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.read.ElementType;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;

/** Quantised weights, which become the numbers that they stand for. */
final class QuantizeOperators {
    private static final String REASON =
            "it computes with quantised numbers, which do not train: import the model that was quantised";

    private QuantizeOperators() {}

    static List<Operator> table() {
        return List.of(
                Operator.ifConstant("QuantizeLinear", use -> List.of(quantized(use))),
                Operator.ifConstant("DequantizeLinear", use -> List.of(numbers(use))));
    }

    /** Numbers of an operand, however many they are. */
    private static Constant all(Use use, int index) {
        Tensor x = use.in(index);
        if (x.spelling().isPresent()) {
            throw new RefusedException(
                    RefusedException.Kind.OPERATOR,
                    REASON,
                    "cut the model before it: --outputs " + use.node().inputs().get(index));
        }
        return x.constant()
                .orElseGet(() -> use.out().body().allNumbers(x.stored().orElseThrow()));
    }

    /** The place of a scale for each element: one for all, or one for each slice along an axis. */
    private static int scale(Use use, Constant x, Constant scale, int place) {
        if (scale.size() == 1) {
            return 0;
        }
        int axis = use.axis("axis", 1, x.shape().size());
        long after = x.shape().subList(axis + 1, x.shape().size()).stream().reduce(1L, (a, b) -> a * b);
        return (int) (place / after % x.shape().get(axis));
    }

    private static void expectWhole(Use use) {
        if (use.integer("block_size", 0) != 0) {
            throw use.detail("it has scales of blocks");
        }
    }

    /** Numbers that are read by what makes them those that they stand for again: as integers, whatever their type. */
    private static Tensor quantized(Use use) {
        expectWhole(use);
        Constant x = all(use, 0);
        Constant scale = all(use, 1);
        Constant zero = use.find(2).isPresent() ? all(use, 2) : null;
        ElementType type = ElementType.of(use.integer("output_dtype", ElementType.UINT8.number()))
                .orElseThrow(() -> use.detail("its output_dtype is none"));
        long least = least(use, type);
        long most = least + (1L << 8 * type.width()) - 1;
        List<Dim> numbers = new ArrayList<>();
        for (int i = 0; i < x.size(); i++) {
            int place = scale(use, x, scale, i);
            double shift = zero == null ? 0 : zero.real(place);
            double whole = Math.rint(Constant.rounded(scale.dtype(), x.real(i) / scale.real(place))) + shift;
            numbers.add(Dim.of(Math.clamp((long) whole, least, most)));
        }
        return Tensor.of(Constant.integers(DType.I32, x.shape(), numbers));
    }

    private static long least(Use use, ElementType type) {
        return switch (type) {
            case UINT8, UINT16 -> 0;
            case INT8 -> Byte.MIN_VALUE;
            case INT16 -> Short.MIN_VALUE;
            default -> throw use.detail("it makes numbers of " + type);
        };
    }

    private static Tensor numbers(Use use) {
        expectWhole(use);
        Constant x = all(use, 0);
        Constant scale = all(use, 1);
        Constant zero = use.find(2).isPresent() ? all(use, 2) : null;
        List<Double> numbers = new ArrayList<>();
        for (int i = 0; i < x.size(); i++) {
            int place = scale(use, x, scale, i);
            double shift = zero == null ? 0 : zero.real(place);
            numbers.add(Constant.rounded(scale.dtype(), (x.real(i) - shift) * scale.real(place)));
        }
        Constant result = Constant.reals(scale.dtype(), x.shape(), numbers);
        String wish = use.node().inputs().getFirst().replaceAll("_quantized$|_QuantizeLinear_Output$", "");
        return x.size() > 1 ? use.out().body().parameter(wish, result) : Tensor.of(result);
    }
}
