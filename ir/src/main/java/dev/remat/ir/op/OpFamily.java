package dev.remat.ir.op;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * All operations of one record.
 *
 * @param mnemonics names in the text form, one for each kind
 * @param parser from mnemonic and attributes to the operation; refuses with {@link IllegalArgumentException}
 * @param doc what it computes, in one line
 * @param examples operations that cover its mnemonics and flags
 */
public record OpFamily(
        List<String> mnemonics, BiFunction<String, Attributes, Op> parser, String doc, List<Op> examples) {
    public OpFamily {
        mnemonics = List.copyOf(mnemonics);
        examples = List.copyOf(examples);
        Expect.argument(!mnemonics.isEmpty() && !examples.isEmpty(), "a family without operations: %s", doc);
    }

    /** A family whose mnemonics are those of its examples. */
    static OpFamily of(BiFunction<String, Attributes, Op> parser, String doc, List<Op> examples) {
        return new OpFamily(examples.stream().map(Op::mnemonic).distinct().toList(), parser, doc, examples);
    }

    /** A family whose mnemonic its parser need not know. */
    static OpFamily family(Function<Attributes, Op> parser, String doc, Op... examples) {
        return of((mnemonic, attributes) -> parser.apply(attributes), doc, List.of(examples));
    }
}
