package dev.remat.cli.lsp.answer;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.StandsFor.Facts;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import java.util.Optional;
import java.util.stream.Collectors;

/** What names stand for, in words. */
final class TypeText {
    private static final int LONGEST = 120;

    private TypeText() {}

    /** In symbols: {@code f32[B, 64]}; several where a place stood for several. */
    static Optional<String> symbolic(Analysis analysis, Location place) {
        return analysis.symbolic(place).flatMap(TypeText::types);
    }

    /** In numbers, with the bytes: {@code f32[8, 64], 2.00 KiB}; empty where that says no more. */
    static Optional<String> numbers(Analysis analysis, Location place) {
        Optional<Facts> set = analysis.set(place);
        Optional<String> numbers = set.flatMap(TypeText::types);
        Optional<TensorType> type = set.filter(facts -> facts.types().size() == 1)
                .map(facts -> facts.types().iterator().next());
        Optional<String> bytes =
                type.filter(each -> each.shape().isStatic()).map(each -> ByteSize.format(each.bytes()));
        if (bytes.isPresent()) {
            return numbers.map(text -> text + ", " + bytes.get());
        }
        return numbers.filter(text -> !Optional.of(text).equals(symbolic(analysis, place)));
    }

    private static Optional<String> types(Facts facts) {
        if (facts.types().isEmpty()) {
            return facts.texts().isEmpty()
                    ? Optional.empty()
                    : Optional.of(cut(facts.texts().stream().collect(Collectors.joining(" or "))));
        }
        return Optional.of(facts.types().stream().map(TensorType::toString).collect(Collectors.joining(" or ")));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
