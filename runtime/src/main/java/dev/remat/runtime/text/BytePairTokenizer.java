package dev.remat.runtime.text;

import dev.remat.runtime.io.DataException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Byte-level byte pairs as GPT-2 has them (Radford et al., 2019). */
public final class BytePairTokenizer implements Tokenizer {
    /** Words with the space before them, numbers, marks, and white space but for the space before a word. */
    private static final Pattern WORDS = Pattern.compile(
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
            Pattern.UNICODE_CHARACTER_CLASS);

    private final Map<String, Integer> vocabulary;
    private final Map<String, Integer> ranks;
    private final Map<String, Integer> special;
    private final Pattern specials;
    private final boolean splitsWords;
    private final boolean addsSpace;
    private final Map<Integer, byte[]> bytes = new LinkedHashMap<>();

    /**
     * As the file of a tokenizer says.
     *
     * @param vocabulary numbers by text in the alphabet of bytes
     * @param ranks of pairs, each written with a space between
     * @param special numbers by text that is a token wherever it stands
     * @param splitsWords whether pairs stay within words
     * @param addsSpace whether a text gets a space before its first word
     * @throws IllegalArgumentException if a text of the vocabulary is not in the alphabet
     */
    BytePairTokenizer(
            Map<String, Integer> vocabulary,
            Map<String, Integer> ranks,
            Map<String, Integer> special,
            boolean splitsWords,
            boolean addsSpace) {
        this.vocabulary = vocabulary;
        this.ranks = ranks;
        this.special = special;
        this.specials = Pattern.compile(special.keySet().stream()
                .sorted(Comparator.comparingInt(text -> -text.length()))
                .map(Pattern::quote)
                .collect(Collectors.joining("|")));
        this.splitsWords = splitsWords;
        this.addsSpace = addsSpace;
        special.forEach((text, token) -> bytes.put(token, text.getBytes(StandardCharsets.UTF_8)));
        vocabulary.forEach((text, token) -> {
            if (!bytes.containsKey(token)) {
                bytes.put(
                        token,
                        ByteAlphabet.read(text)
                                .orElseThrow(() ->
                                        new IllegalArgumentException("the token '" + text + "' is no text of bytes")));
            }
        });
    }

    @Override
    public int[] encode(byte[] text) {
        String characters;
        try {
            characters = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new DataException("the text is not UTF-8");
        }
        List<Integer> tokens = new ArrayList<>();
        int at = 0;
        for (Matcher match = specials.matcher(characters); !special.isEmpty() && match.find(); at = match.end()) {
            encode(characters.substring(at, match.start()), tokens);
            tokens.add(special.get(match.group()));
        }
        encode(characters.substring(at), tokens);
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }

    private void encode(String text, List<Integer> tokens) {
        if (text.isEmpty()) {
            return;
        }
        String spaced = addsSpace && !Character.isWhitespace(text.charAt(0)) ? " " + text : text;
        if (!splitsWords) {
            join(spaced, tokens);
            return;
        }
        for (Matcher word = WORDS.matcher(spaced); word.find(); ) {
            join(word.group(), tokens);
        }
    }

    private void join(String word, List<Integer> tokens) {
        for (String piece : BytePairs.join(ranks, ByteAlphabet.write(word))) {
            Integer token = vocabulary.get(piece);
            if (token == null) {
                throw new DataException("the tokenizer has no token for a part of '" + word + "'");
            }
            tokens.add(token);
        }
    }

    @Override
    public boolean contains(int token) {
        return bytes.containsKey(token);
    }

    @Override
    public byte[] decode(int token) {
        return bytes.get(token).clone();
    }
}
