package dev.remat.codegen.cuda.emit;

import dev.remat.ir.op.Draw;
import java.util.List;

/** How the lanes of a thread get random words, and numbers from them, as C++. */
final class RandomText {
    private RandomText() {}

    /** Fills {@code words<member>} with the words of the V elements from {@code index} on. */
    static String words(String member) {
        return "u32 words" + member + "[V];\ndraw<V>(" + member + ", index, words" + member + ");\n";
    }

    /** Fills {@code first<member>} and {@code second<member>} with the words of their pairs. */
    static String pairs(String member) {
        return "u32 first" + member + "[V];\nu32 second" + member + "[V];\nmath::draw_pairs<V>(" + member
                + ", index, first" + member + ", second" + member + ");\n";
    }

    /**
     * The number drawn on lane l.
     *
     * @param constants the member that draws, and the bound of integers
     */
    static String number(Draw op, List<String> constants) {
        String member = constants.getFirst();
        String word = "words" + member + "[l]";
        String type = CudaType.accumulator(op.type().dtype());
        return switch (op.kind()) {
            case UNIFORM ->
                "math::uniform<" + type + ">(" + word + ", "
                        + Draw.uniformBits(op.type().dtype()) + "u)";
            case NORMAL -> "math::normal<" + type + ">(first" + member + "[l], second" + member + "[l], index + l)";
            case INTEGER -> "static_cast<" + type + ">(math::below(" + word + ", " + constants.get(1) + "))";
        };
    }
}
