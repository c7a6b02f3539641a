package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.refused;

import dev.remat.compiler.onnx.rule.Operator;
import java.util.ArrayList;
import java.util.List;

/** Operators that are known and not imported, with the reason. */
final class RefusedOperators {
    private RefusedOperators() {}

    static List<Operator> table() {
        List<Operator> table = new ArrayList<>();
        add(
                table,
                "how many rows it has depends on data, extents here on symbols alone",
                "NonMaxSuppression NonZero Unique");
        add(
                table,
                "sequences of tensors are no values here",
                "ConcatFromSequence SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert"
                        + " SequenceLength SequenceMap SplitToSequence");
        add(table, "optional values are none here", "Optional OptionalGetElement OptionalHasElement");
        add(table, "texts are no values here", "RegexFullMatch StringConcat StringNormalizer StringSplit");
        add(
                table,
                "it computes with quantised numbers, which do not train: import the model that was quantised",
                "ConvInteger DynamicQuantizeLinear MatMulInteger QLinearConv QLinearMatMul");
        add(table, "it computes with bits", "BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor");
        add(
                table,
                "nothing here computes it",
                "STFT DeformConv Det LinearAttention MaxRoiPool MaxUnpool Multinomial RoiAlign" + " TensorScatter");
        add(table, "it reads what is no tensor", "ImageDecoder TfIdfVectorizer");
        return table;
    }

    private static void add(List<Operator> table, String reason, String names) {
        for (String name : names.split(" ")) {
            table.add(refused(name, reason));
        }
    }
}
