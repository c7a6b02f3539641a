package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/** Tokenizers that are not as they should be, and prompts for them. */
final class FuzzTokenizers implements FuzzKind {
    private static final String BYTES = """
        {"version":"1.0","added_tokens":[{"id":0,"content":"<end>","single_word":false,"special":true}],
        "normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":true},
        "post_processor":{"type":"ByteLevel"},"decoder":{"type":"ByteLevel"},
        "model":{"type":"BPE","dropout":null,"continuing_subword_prefix":"",
        "vocab":{"a":97,"b":98,"c":99,"\u0120":32,"ab":1,"\u0120ab":2,"abc":3,",":44},
        "merges":["a b","\u0120 ab",["ab","c"]]}}
        """;

    private static final String PIECES = """
        {"added_tokens":[{"id":0,"content":"[UNK]","special":true,"lstrip":true,"rstrip":true,"normalized":false}],
        "normalizer":{"type":"Sequence","normalizers":[{"type":"BertNormalizer","lowercase":true},
        {"type":"Replace","pattern":{"Regex":"(?i:b)+(?!c)"},"content":"b"},{"type":"Prepend","prepend":"a"}]},
        "pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"BertPreTokenizer"},
        {"type":"Split","pattern":{"Regex":"\\\\p{N}{1,3}|[^\\\\s\\\\p{L}]+"},"behavior":"Isolated","invert":false}]},
        "post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[UNK]","type_id":0}},
        {"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},
        {"Sequence":{"id":"B","type_id":1}}],"special_tokens":{"[UNK]":{"id":"[UNK]","ids":[0],"tokens":["[UNK]"]}}},
        "decoder":{"type":"Sequence","decoders":[{"type":"WordPiece","prefix":"##","cleanup":true},
        {"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":1}]},
        "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
        "max_input_chars_per_word":9,"vocab":{"[UNK]":0,"a":97,"##b":98,"##c":99,"ab":1,",":44}}}
        """;

    private static final List<String> WORDS = List.of(
            "null",
            "true",
            "false",
            "[]",
            "{}",
            "\"\"",
            "-1",
            "256",
            "a",
            "ab",
            "a b",
            "Ġ",
            "é",
            "vocab",
            "merges",
            "type",
            "BPE",
            "WordPiece",
            "Metaspace",
            "Sequence",
            "Isolated",
            "(a*)*b",
            "[^a",
            "\\\\p{L}++",
            "ByteLevel",
            "id",
            "content",
            "byte_fallback",
            "dropout",
            "lstrip");
    private static final List<String> PROMPTS =
            List.of("ab", "abc ab,", "a<end>b", "<end>", " ", "", "é", "abcabc".repeat(9));

    private final SequencedMap<String, byte[]> run;

    FuzzTokenizers(FuzzSeeds seeds) throws IOException {
        run = seeds.trained();
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        String tokenizer = Mutation.once(2, random) ? BYTES : PIECES;
        byte[] prompt = Mutation.pick(PROMPTS, random).getBytes(StandardCharsets.UTF_8);
        return FuzzInput.of(
                        "generate",
                        "@/m.model",
                        "--resume",
                        "@/trained",
                        "--prompt-file",
                        "@/prompt",
                        "--tokens",
                        "3",
                        "--tokenizer",
                        "@/tokenizer.json")
                .file("m.model", FuzzSeeds.READER.getBytes(StandardCharsets.UTF_8))
                .file("tokenizer.json", Mutation.encoded(Mutation.json(tokenizer, WORDS, random), random))
                .file("prompt", Mutation.once(4, random) ? Mutation.bytes(prompt, random) : prompt)
                .files(run);
    }
}
