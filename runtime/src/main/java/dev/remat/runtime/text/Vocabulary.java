package dev.remat.runtime.text;

import dev.remat.runtime.io.DataException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Tokens by text and by number. */
final class Vocabulary {
    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    private final Map<Integer, String> texts = new HashMap<>();

    static Vocabulary read(JsonPart part) {
        Vocabulary vocabulary = new Vocabulary();
        part.forEach((text, number) -> {
            vocabulary.numbers.put(text, number.number());
            vocabulary.texts.put(number.number(), text);
        });
        return vocabulary;
    }

    /** The number of a text; null without one. */
    Integer get(String text) {
        return numbers.get(text);
    }

    /** The text of a number; null without one. */
    String text(int number) {
        return texts.get(number);
    }

    /** The number of the token that a field names; empty without a field. */
    Optional<Integer> named(Optional<JsonPart> field) {
        return field.map(part -> {
            Integer number = get(part.text());
            if (number == null) {
                throw part.wrong("is '" + part.text() + "', which the vocabulary does not have");
            }
            return number;
        });
    }

    static DataException missing(String word) {
        String shown = word.length() > 40 ? word.substring(0, word.offsetByCodePoints(0, 20)) + "\u2026" : word;
        return new DataException("the tokenizer has no token for a part of '" + shown + "', and none for the unknown");
    }
}
