package dev.remat.runtime.text;

import dev.remat.runtime.text.pattern.SplitPattern;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What the texts of tokens become: one way for each {@code type} of a tokenizer's {@code decoder}. */
interface Decoder {
    String SUPPORTED = "BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Sequence, Strip and WordPiece";

    /** Texts that, one after the other, are the text. */
    List<String> decode(List<String> tokens);

    /** Without a decoder, tokens are words. */
    static Decoder read(Optional<JsonPart> part) {
        return part.map(Decoder::read).orElse(tokens -> List.of(String.join(" ", tokens)));
    }

    private static Decoder read(JsonPart part) {
        return switch (part.type()) {
            case "Sequence" -> {
                List<Decoder> steps =
                        part.need("decoders").list().stream().map(Decoder::read).toList();
                yield tokens -> {
                    List<String> decoded = tokens;
                    for (Decoder step : steps) {
                        decoded = step.decode(decoded);
                    }
                    return decoded;
                };
            }
            case "ByteLevel" -> Decoder::bytes;
            case "ByteFallback" -> Decoder::byteTokens;
            case "Fuse" -> tokens -> List.of(String.join("", tokens));
            case "Replace" -> {
                SplitPattern pattern = Normalizer.pattern(part.need("pattern"));
                String instead = part.need("content").text();
                yield each(token -> Normalizer.replace(token, pattern, instead));
            }
            case "Strip" -> strip(part);
            case "Metaspace" -> {
                String mark = part.text("replacement", "\u2581");
                boolean prepends = !PreTokenizer.prependScheme(part).equals("never");
                yield parts(token -> token.replace(mark, prepends ? "" : " "), token -> token.replace(mark, " "));
            }
            case "WordPiece" -> wordPiece(part.text("prefix", "##"), part.flag("cleanup", true));
            case "BPEDecoder" -> {
                String suffix = part.text("suffix", "</w>");
                yield tokens -> {
                    List<String> decoded = new ArrayList<>();
                    for (String token : tokens) {
                        decoded.add(token.replace(suffix, decoded.size() + 1 < tokens.size() ? " " : ""));
                    }
                    return decoded;
                };
            }
            default -> throw part.unsupported(SUPPORTED);
        };
    }

    private static Decoder each(UnaryOperator<String> change) {
        return tokens -> tokens.stream().map(change).toList();
    }

    /** The first token otherwise than the rest. */
    private static Decoder parts(UnaryOperator<String> first, UnaryOperator<String> rest) {
        return tokens -> {
            List<String> decoded = new ArrayList<>(tokens.size());
            for (String token : tokens) {
                decoded.add((decoded.isEmpty() ? first : rest).apply(token));
            }
            return decoded;
        };
    }

    private static List<String> bytes(List<String> tokens) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String token : tokens) {
            bytes.writeBytes(ByteAlphabet.read(token).orElseGet(() -> token.getBytes(StandardCharsets.UTF_8)));
        }
        return List.of(bytes.toString(StandardCharsets.UTF_8));
    }

    /** Tokens such as {@code <0x0A>} that follow one another are the bytes of characters, or one mark for each. */
    private static List<String> byteTokens(List<String> tokens) {
        List<String> decoded = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String token : tokens) {
            if (token.matches("<0x[0-9a-fA-F]{2}>")) {
                bytes.write(Integer.parseInt(token, 3, 5, 16));
            } else {
                end(bytes, decoded);
                decoded.add(token);
            }
        }
        end(bytes, decoded);
        return decoded;
    }

    private static void end(ByteArrayOutputStream bytes, List<String> decoded) {
        if (bytes.size() > 0) {
            try {
                decoded.add(StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes.toByteArray()))
                        .toString());
            } catch (CharacterCodingException e) {
                decoded.add("\ufffd".repeat(bytes.size()));
            }
            bytes.reset();
        }
    }

    private static Decoder strip(JsonPart part) {
        String content = part.need("content").text();
        int most = part.need("start").number();
        int last = part.need("stop").number();
        if (content.codePointCount(0, content.length()) != 1) {
            throw part.need("content").wrong("is not one character");
        }
        return each(token -> {
            int begin = 0;
            int end = token.length();
            for (int i = 0; i < most && token.startsWith(content, begin); i++) {
                begin += content.length();
            }
            for (int i = 0;
                    i < last && end - content.length() >= begin && token.startsWith(content, end - content.length());
                    i++) {
                end -= content.length();
            }
            return token.substring(begin, end);
        });
    }

    private static Decoder wordPiece(String prefix, boolean cleanup) {
        UnaryOperator<String> clean = cleanup ? Decoder::clean : token -> token;
        return parts(
                clean, token -> clean.apply(token.startsWith(prefix) ? token.substring(prefix.length()) : " " + token));
    }

    /** No space before marks and short forms. */
    private static String clean(String token) {
        return token.replace(" .", ".")
                .replace(" ?", "?")
                .replace(" !", "!")
                .replace(" ,", ",")
                .replace(" ' ", "'")
                .replace(" n't", "n't")
                .replace(" 'm", "'m")
                .replace(" do not", " don't")
                .replace(" 's", "'s")
                .replace(" 've", "'ve")
                .replace(" 're", "'re");
    }
}
