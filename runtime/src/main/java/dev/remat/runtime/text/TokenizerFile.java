package dev.remat.runtime.text;

import dev.remat.ir.io.ReadableFile;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.text.AddedTokens.Added;
import dev.remat.runtime.text.PreTokenizer.Word;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * A {@code tokenizer.json} of Hugging Face's tokenizers: added tokens are taken out of a text, the rest is normalized,
 * parted into words, and each word into tokens. Byte pairs, on bytes as GPT-2 has them or with tokens for bytes as
 * Llama 2 has them, word pieces as BERT's, and whole words are known; other kinds are refused.
 */
public final class TokenizerFile implements Tokenizer {
    /** Words whose tokens are kept, and their longest. */
    private static final int KEPT = 100_000;

    private static final int LONGEST_KEPT = 64;
    private static final List<String> PADDING = List.of("[PAD]", "<pad>", "<|pad|>");

    private final Optional<UnaryOperator<String>> normalizer;
    private final Optional<PreTokenizer> words;
    private final TokenModel model;
    private final Framing framing;
    private final Decoder decoder;
    private final AddedTokens asWritten = new AddedTokens();
    private final AddedTokens asNormalized = new AddedTokens();
    private final Map<String, Integer> added = new LinkedHashMap<>();
    private final Map<Integer, String> addedTexts = new HashMap<>();
    private final int padding;
    private final Map<String, int[]> known = new ConcurrentHashMap<>();

    private TokenizerFile(JsonPart root) {
        this.model = TokenModel.read(root.need("model"));
        this.normalizer = root.get("normalizer").map(Normalizer::read);
        this.words = root.get("pre_tokenizer").map(PreTokenizer::read);
        this.framing = root.get("post_processor").map(Framing::read).orElse(Framing.NONE);
        this.decoder = Decoder.read(root.get("decoder"));
        root.get("added_tokens").ifPresent(tokens -> tokens.list().forEach(this::add));
        this.padding = root.get("padding")
                .flatMap(part -> part.get("pad_id"))
                .map(JsonPart::number)
                .orElseGet(() -> PADDING.stream()
                        .map(this::token)
                        .flatMapToInt(OptionalInt::stream)
                        .findFirst()
                        .orElse(0));
    }

    /** @throws CorruptFileException if it is damaged or of a kind that is not supported */
    public static TokenizerFile read(Path file) throws IOException {
        ReadableFile.check(file);
        return new TokenizerFile(JsonPart.read(file));
    }

    private void add(JsonPart part) {
        String text = part.need("content").text();
        int number = part.need("id").number();
        boolean isSpecial = part.flag("special", false);
        boolean isNormalized = part.flag("normalized", !isSpecial);
        String found = isNormalized ? normalize(text) : text;
        if (text.isEmpty() || found.isEmpty()) {
            throw part.need("content").wrong("is no text");
        }
        (isNormalized ? asNormalized : asWritten)
                .add(
                        found,
                        new Added(
                                number,
                                part.flag("single_word", false),
                                part.flag("lstrip", false),
                                part.flag("rstrip", false)));
        added.put(text, number);
        addedTexts.put(number, text);
    }

    private String normalize(String text) {
        return normalizer.map(way -> way.apply(text)).orElse(text);
    }

    @Override
    public int[] encode(byte[] text) {
        try {
            return encode(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString());
        } catch (CharacterCodingException e) {
            throw new DataException("the text is not UTF-8");
        }
    }

    private int[] encode(String text) {
        TokenList tokens = new TokenList();
        asWritten.split(text, true, new Parts(tokens) {
            @Override
            public void text(String part, boolean isFirst) {
                asNormalized.split(normalize(part), isFirst, new Parts(tokens) {
                    @Override
                    public void text(String normalized, boolean isFirst) {
                        encode(new Word(normalized, isFirst), tokens);
                    }
                });
            }
        });
        return tokens.toArray();
    }

    private abstract static class Parts implements AddedTokens.Parts {
        private final TokenList tokens;

        Parts(TokenList tokens) {
            this.tokens = tokens;
        }

        @Override
        public void token(int number) {
            tokens.add(number);
        }
    }

    private void encode(Word part, TokenList tokens) {
        List<Word> all = words.map(way -> way.split(part)).orElse(List.of(part));
        for (Word word : all) {
            String text = word.text();
            for (int at = 0; at < text.length(); ) {
                int end = model.partEnd(text, at);
                tokens.addAll(tokens(at == 0 && end == text.length() ? text : text.substring(at, end)));
                at = end;
            }
        }
    }

    private int[] tokens(String word) {
        if (word.length() > LONGEST_KEPT) {
            return model.tokenize(word);
        }
        int[] found = known.get(word);
        if (found == null) {
            found = model.tokenize(word);
            if (known.size() >= KEPT) {
                known.clear();
            }
            known.put(word, found);
        }
        return found;
    }

    @Override
    public boolean contains(int token) {
        return addedTexts.containsKey(token) || model.vocabulary().text(token) != null;
    }

    @Override
    public String decode(int... tokens) {
        List<String> texts = new ArrayList<>(tokens.length);
        for (int token : tokens) {
            String text = addedTexts.getOrDefault(token, model.vocabulary().text(token));
            if (text != null) {
                texts.add(text);
            }
        }
        return String.join("", decoder.decode(texts));
    }

    @Override
    public Framing framing() {
        return framing;
    }

    @Override
    public OptionalInt token(String text) {
        Integer number = added.getOrDefault(text, model.vocabulary().get(text));
        return number == null ? OptionalInt.empty() : OptionalInt.of(number);
    }

    @Override
    public int padding() {
        return padding;
    }
}
