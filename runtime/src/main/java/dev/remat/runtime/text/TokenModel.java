package dev.remat.runtime.text;

import java.util.Optional;

/** The tokens of a word. */
interface TokenModel {
    String SUPPORTED = "BPE, WordPiece and WordLevel";

    /** @throws dev.remat.runtime.io.DataException if there are none */
    int[] tokenize(String word);

    Vocabulary vocabulary();

    /** The end of the part of a word from a place on whose tokens are the same whatever stands before and after it. */
    default int partEnd(String word, int from) {
        return word.length();
    }

    static TokenModel read(JsonPart part) {
        // Files from before types were written have a model without one.
        String type = !part.type().isEmpty()
                ? part.type()
                : part.get("merges").isPresent()
                        ? "BPE"
                        : part.get("max_input_chars_per_word").isPresent() ? "WordPiece" : "";
        return switch (type) {
            case "BPE" -> BytePairModel.read(part);
            case "WordPiece" -> WordPieceModel.read(part);
            case "WordLevel" -> wordLevel(part);
            default -> throw part.unsupported(SUPPORTED);
        };
    }

    private static TokenModel wordLevel(JsonPart part) {
        Vocabulary vocabulary = Vocabulary.read(part.need("vocab"));
        Optional<Integer> unknown = vocabulary.named(part.get("unk_token"));
        return new TokenModel() {
            @Override
            public int[] tokenize(String word) {
                Integer token = vocabulary.get(word);
                return new int[] {token != null ? token : unknown.orElseThrow(() -> Vocabulary.missing(word))};
            }

            @Override
            public Vocabulary vocabulary() {
                return vocabulary;
            }
        };
    }
}
