package dev.remat.codegen.cuda.emit;

import dev.remat.ir.op.Draw;
import java.util.List;
import java.util.Optional;

/** How the lanes of a thread get random words, and numbers from them, as C++. */
final class RandomText {
    private RandomText() {}

    /**
     * Fills {@code words<name>} with the words of the V elements from {@code index} on.
     *
     * @param name that tells them from what else the kernel draws
     * @param member that draws
     * @param piece the member that tells which elements of a larger tensor they are
     */
    static String words(String name, String member, Optional<String> piece) {
        return "u32 words" + name + "[V];\ndraw<V>(" + member
                + piece.map(p -> ", " + p).orElse("") + ", index, words" + name + ");\n";
    }

    /** Fills {@code first<name>} and {@code second<name>} with the words of their pairs. */
    static String pairs(String name, String member, Optional<String> piece) {
        String function = piece.map(p -> "draw_pairs<V>(" + member + ", " + p).orElse("math::draw_pairs<V>(" + member);
        return "u32 first" + name + "[V];\nu32 second" + name + "[V];\n" + function + ", index, first" + name
                + ", second" + name + ");\n";
    }

    /**
     * The number drawn on lane l.
     *
     * @param constants the name of what was drawn; then the bound of integers, or the piece of normal numbers
     */
    static String number(Draw op, List<String> constants) {
        String name = constants.getFirst();
        String word = "words" + name + "[l]";
        String type = CudaType.accumulator(op.type().dtype());
        return switch (op.kind()) {
            case UNIFORM ->
                "math::uniform<" + type + ">(" + word + ", "
                        + Draw.uniformBits(op.type().dtype()) + "u)";
            case NORMAL -> {
                String element = constants.size() > 1 ? constants.get(1) + ".parity(index + l)" : "index + l";
                yield "math::normal<" + type + ">(first" + name + "[l], second" + name + "[l], " + element + ")";
            }
            case INTEGER -> "static_cast<" + type + ">(math::below(" + word + ", " + constants.get(1) + "))";
        };
    }
}
