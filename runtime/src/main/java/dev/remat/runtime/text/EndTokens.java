package dev.remat.runtime.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** The tokens after which a text is at its end, as the files beside a tokenizer say. */
public final class EndTokens {
    /** What published tokenizers call them, where nothing stands beside. */
    private static final List<String> USUAL =
            List.of("</s>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|im_end|>");

    private EndTokens() {}

    /**
     * Those that {@code generation_config.json} lists in the tokenizer's folder, else the one that {@code
     * tokenizer_config.json} names, else those that are usually called so.
     *
     * @throws dev.remat.runtime.io.CorruptFileException if one of these files is damaged
     */
    public static Set<Integer> of(Path tokenizerFile, Tokenizer tokenizer) throws IOException {
        Set<Integer> found = new TreeSet<>();
        Optional<JsonPart> listed = field(tokenizerFile.resolveSibling("generation_config.json"), "eos_token_id");
        if (listed.isPresent()) {
            JsonPart part = listed.get();
            (part.value() instanceof List<?> ? part.list() : List.of(part)).forEach(each -> found.add(each.number()));
            return found;
        }
        Optional<JsonPart> named = field(tokenizerFile.resolveSibling("tokenizer_config.json"), "eos_token");
        List<String> names = named.map(part -> List.of(
                        part.value() instanceof String text
                                ? text
                                : part.need("content").text()))
                .orElse(USUAL);
        names.stream().map(tokenizer::token).flatMapToInt(OptionalInt::stream).forEach(found::add);
        return found;
    }

    private static Optional<JsonPart> field(Path file, String name) throws IOException {
        return Files.isRegularFile(file) ? JsonPart.read(file).get(name) : Optional.empty();
    }
}
