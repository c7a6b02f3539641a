package dev.remat.runtime.text;

import java.util.Optional;

/**
 * The longest token that a word begins with, then the longest that its rest begins with, and so on (Schuster and
 * Nakajima, 2012; as BERT has it). A word that cannot be parted so is unknown as a whole.
 */
record WordPieceModel(Vocabulary vocabulary, Optional<Integer> unknown, String prefix, int longest)
        implements TokenModel {
    private static final int LONGEST = 100;

    static WordPieceModel read(JsonPart part) {
        Vocabulary vocabulary = Vocabulary.read(part.need("vocab"));
        return new WordPieceModel(
                vocabulary,
                vocabulary.named(part.get("unk_token")),
                part.text("continuing_subword_prefix", "##"),
                part.get("max_input_chars_per_word").map(JsonPart::number).orElse(LONGEST));
    }

    @Override
    public int[] tokenize(String word) {
        TokenList tokens = new TokenList();
        if (word.codePointCount(0, word.length()) > longest) {
            return new int[] {unknown(word)};
        }
        for (int begin = 0; begin < word.length(); ) {
            int end = word.length();
            Integer token = null;
            while (end > begin) {
                String piece = word.substring(begin, end);
                token = vocabulary.get(begin == 0 ? piece : prefix + piece);
                if (token != null) {
                    break;
                }
                end = word.offsetByCodePoints(end, -1);
            }
            if (token == null) {
                return new int[] {unknown(word)};
            }
            tokens.add(token);
            begin = end;
        }
        return tokens.toArray();
    }

    private int unknown(String word) {
        return unknown.orElseThrow(() -> Vocabulary.missing(word));
    }
}
