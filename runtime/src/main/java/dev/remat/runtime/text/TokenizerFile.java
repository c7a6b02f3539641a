package dev.remat.runtime.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.json.JsonText;
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the {@code tokenizer.json} of Hugging Face's tokenizers: byte-level byte pairs without normalizer, as GPT-2 and
 * its like have them. Any other kind is refused.
 */
public final class TokenizerFile {
    private static final long MAX_BYTES = 1 << 28;
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Path file;

    private TokenizerFile(Path file) {
        this.file = file;
    }

    /** @throws CorruptFileException if it is damaged or of a kind that is not supported */
    public static Tokenizer read(Path file) throws IOException {
        ReadableFile.check(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new CorruptFileException(file, "too large for a tokenizer");
        }
        return new TokenizerFile(file).read();
    }

    private Tokenizer read() throws IOException {
        Map<String, Object> root;
        try (JsonParser json = JsonText.parser(JSON, Files.readAllBytes(file))) {
            json.nextToken();
            root = object(value(json), "the file");
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(file, "is not valid JSON: " + SyntaxProblem.of(e), e);
        }
        if (root.get("normalizer") != null) {
            throw unsupported("a normalizer of type " + typeOf(root, "normalizer"));
        }
        Map<String, Object> model = part(root, "model", "BPE");
        for (String option : List.of("continuing_subword_prefix", "end_of_word_suffix")) {
            if (model.get(option) != null && !model.get(option).equals("")) {
                throw unsupported("a model with " + option);
            }
        }
        for (String option : List.of("byte_fallback", "ignore_merges")) {
            if (Boolean.TRUE.equals(model.get(option))) {
                throw unsupported("a model with " + option);
            }
        }
        Map<String, Object> words = part(root, "pre_tokenizer", "ByteLevel");
        part(root, "decoder", "ByteLevel");
        if (root.get("post_processor") != null) {
            part(root, "post_processor", "ByteLevel");
        }
        try {
            return new BytePairTokenizer(
                    vocabulary(model),
                    ranks(model),
                    special(root),
                    !Boolean.FALSE.equals(words.get("use_regex")),
                    Boolean.TRUE.equals(words.get("add_prefix_space")));
        } catch (IllegalArgumentException e) {
            throw new CorruptFileException(file, e.getMessage(), e);
        }
    }

    private Map<String, Integer> vocabulary(Map<String, Object> model) {
        Map<String, Integer> vocabulary = new LinkedHashMap<>();
        object(model.get("vocab"), "vocab").forEach((text, token) -> vocabulary.put(text, number(token, text)));
        return vocabulary;
    }

    private Map<String, Integer> ranks(Map<String, Object> model) {
        Map<String, Integer> ranks = new LinkedHashMap<>();
        for (Object merge : list(model.get("merges"), "merges")) {
            String pair = merge instanceof List<?> two && two.size() == 2
                    ? two.getFirst() + " " + two.getLast()
                    : text(merge, "a merge");
            if (pair.indexOf(' ') != pair.lastIndexOf(' ') || pair.indexOf(' ') < 1) {
                throw new CorruptFileException(file, "the merge '" + pair + "' is no pair");
            }
            ranks.putIfAbsent(pair, ranks.size());
        }
        return ranks;
    }

    private Map<String, Integer> special(Map<String, Object> root) {
        Map<String, Integer> special = new LinkedHashMap<>();
        if (root.get("added_tokens") != null) {
            for (Object added : list(root.get("added_tokens"), "added_tokens")) {
                Map<String, Object> token = object(added, "an added token");
                String content = text(token.get("content"), "content");
                for (String option : List.of("single_word", "lstrip", "rstrip")) {
                    if (Boolean.TRUE.equals(token.get(option))) {
                        throw unsupported("the token '" + content + "' with " + option);
                    }
                }
                if (content.isEmpty()) {
                    throw new CorruptFileException(file, "an added token has no text");
                }
                special.put(content, number(token.get("id"), content));
            }
        }
        return special;
    }

    private Map<String, Object> part(Map<String, Object> root, String name, String type) {
        if (root.get(name) == null) {
            throw unsupported("no " + name);
        }
        String found = typeOf(root, name);
        // Files from before types were written have a model without one.
        if (!found.equals(type) && !(name.equals("model") && found.equals("unknown"))) {
            throw unsupported("a " + name + " of type " + found);
        }
        return object(root.get(name), name);
    }

    private String typeOf(Map<String, Object> root, String name) {
        Object type = object(root.get(name), name).get("type");
        return type == null ? "unknown" : text(type, "type");
    }

    private CorruptFileException unsupported(String what) {
        return new CorruptFileException(
                file, "has " + what + "; supported are byte-level byte pairs as GPT-2 has them, without more");
    }

    private int number(Object value, String what) {
        if (value instanceof Integer number && number >= 0) {
            return number;
        }
        throw new CorruptFileException(file, "the number of '" + what + "' is " + value);
    }

    private String text(Object value, String what) {
        if (value instanceof String text) {
            return text;
        }
        throw new CorruptFileException(file, what + " is no text");
    }

    private List<?> list(Object value, String what) {
        if (value instanceof List<?> list) {
            return list;
        }
        throw new CorruptFileException(file, what + " is no list");
    }

    private Map<String, Object> object(Object value, String what) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> fields = new LinkedHashMap<>();
            map.forEach((name, field) -> fields.put((String) name, field));
            return fields;
        }
        throw new CorruptFileException(file, what + " is no object");
    }

    /** Objects as maps, arrays as lists, and plain values; null where the file says so. */
    private Object value(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == null) {
            throw new CorruptFileException(file, "ends too soon");
        }
        return switch (token) {
            case START_OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    json.nextToken();
                    fields.put(name, value(json));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(json));
                }
                yield items;
            }
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT -> json.getNumberValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new CorruptFileException(file, "is not valid JSON");
        };
    }
}
