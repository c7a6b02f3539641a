package dev.remat.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of a {@code tokenizer.json}, by what their documentation says. */
class TokenizerPartsTest {
    @TempDir
    Path folder;

    private JsonPart part(String json) throws IOException {
        return JsonPart.read(Files.writeString(folder.resolve("part.json"), json.replace('\'', '"')));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{'type':'NFC'}|e\u0301|\u00e9",
                "{'type':'NFD'}|\u00e9|e\u0301",
                "{'type':'NFKC'}|\ufb01\u00b2|fi2",
                "{'type':'NFKD'}|\ufb01\u00e9|fie\u0301",
                "{'type':'Lowercase'}|A\u03a3 \u0130\u1e9e|a\u03c3 i\u0307\u00df",
                "{'type':'StripAccents'}|e\u0301\u0903\u20ddx|ex",
                "{'type':'Sequence','normalizers':[{'type':'NFD'},{'type':'StripAccents'}]}|\u00e9\u00f1|en",
                "{'type':'Replace','pattern':{'Regex':'[0-9]+'},'content':'#'}|a12b3|a#b#",
                "{'type':'Replace','pattern':{'String':'..'},'content':'-'}|a..b...|a-b-.",
                "{'type':'Prepend','prepend':'_'}|a|_a",
                "{'type':'BertNormalizer','lowercase':false,'strip_accents':true}|\u00c9\u4e16x|E \u4e16 x",
                "{'type':'BertNormalizer','lowercase':true,'strip_accents':false}|\u00c9|\u00e9",
                "{'type':'BertNormalizer','handle_chinese_chars':false}|A\u4e16|a\u4e16"
            })
    void normalizersChangeText(String json, String text, String expected) throws IOException {
        assertThat(Normalizer.read(part(json)).apply(text)).isEqualTo(expected);
    }

    @Test
    void stripTakesWhiteSpaceFromTheSidesThatItNames() throws IOException {
        String both = "{'type':'Strip','strip_left':true,'strip_right':true}";
        assertThat(Normalizer.read(part(both)).apply(" \u3000a b\n")).isEqualTo("a b");
        assertThat(Normalizer.read(part(both.replace("'strip_right':true", "'strip_right':false")))
                        .apply(" a "))
                .isEqualTo("a ");
        assertThat(Normalizer.read(part("{'type':'Prepend','prepend':'_'}")).apply(""))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{'type':'Whitespace'}|it's a_1  x|it,',s,a_1,x",
                "{'type':'WhitespaceSplit'}|it's\u00a0a|it's,a",
                "{'type':'CharDelimiterSplit','delimiter':'-'}|a-b--c|a,b,c",
                "{'type':'Digits','individual_digits':true}|a12b|a,1,2,b",
                "{'type':'Digits'}|a12b|a,12,b",
                "{'type':'Punctuation'}|a!?b|a,!,?,b",
                "{'type':'Punctuation','behavior':'Contiguous'}|a!?b|a,!?,b",
                "{'type':'BertPreTokenizer'}|don't \u00bfx|don,',t,\u00bf,x",
                "{'type':'Split','pattern':{'String':'-'},'behavior':'Removed'}|a-b--|a,b",
                "{'type':'Split','pattern':{'String':'-'},'behavior':'Isolated'}|a-b--|a,-,b,-,-",
                "{'type':'Split','pattern':{'String':'-'},'behavior':'MergedWithPrevious'}|a-b--|a-,b-,-",
                "{'type':'Split','pattern':{'String':'-'},'behavior':'MergedWithNext'}|-a--b|-a,-,-b",
                "{'type':'Split','pattern':{'String':'-'},'behavior':'Contiguous'}|a--b|a,--,b",
                "{'type':'Split','pattern':{'Regex':'[a-z]+'},'behavior':'Removed','invert':true}|1ab2c|ab,c",
                "{'type':'Metaspace','prepend_scheme':'always'}|a b|\u2581a,\u2581b",
                "{'type':'Metaspace','prepend_scheme':'never','split':false}|a b|a\u2581b",
                "{'type':'Metaspace','replacement':'_','add_prefix_space':true}|a|_a",
                "{'type':'ByteLevel','add_prefix_space':false}|a b\u00e9|a,\u0120b\u00c3\u00a9",
                "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},{'type':'Punctuation'}]}|a, b|a,;,b"
            })
    void preTokenizersPartText(String json, String text, String expected) throws IOException {
        List<String> words = PreTokenizer.read(part(json)).split(new PreTokenizer.Word(text, true)).stream()
                .map(PreTokenizer.Word::text)
                .toList();
        assertThat(words)
                .isEqualTo(Arrays.stream(expected.split(","))
                        .map(word -> word.equals(";") ? "," : word)
                        .toList());
    }

    @Test
    void aMarkIsPutBeforeTheFirstWordAlone() throws IOException {
        PreTokenizer first = PreTokenizer.read(part("{'type':'Metaspace','prepend_scheme':'first'}"));
        assertThat(first.split(new PreTokenizer.Word("a", true)).getFirst().text())
                .isEqualTo("\u2581a");
        assertThat(first.split(new PreTokenizer.Word("a", false)).getFirst().text())
                .isEqualTo("a");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{'type':'WordPiece'}|un,##do,.,do,n't|undo. don't",
                "{'type':'WordPiece','cleanup':false}|a,.|a .",
                "{'type':'Metaspace'}|\u2581a,\u2581b|a b",
                "{'type':'Metaspace','prepend_scheme':'never'}|a,\u2581b|a b",
                "{'type':'BPEDecoder'}|lo,w</w>,x</w>|low x",
                "{'type':'ByteFallback'}|<0xE4>,<0xB8>,<0x96>,a|\u4e16a",
                "{'type':'ByteFallback'}|<0xE4>,<0xB8>,a|\ufffd\ufffda",
                "{'type':'Strip','content':'_','start':1,'stop':2}|__a___,_b|_a_b",
                "{'type':'Replace','pattern':{'String':'x'},'content':'y'}|axb|ayb",
                "{'type':'Sequence','decoders':[{'type':'Fuse'},"
                        + "{'type':'Strip','content':'_','start':1,'stop':0}]}|_a,_b|a_b"
            })
    void decodersMakeText(String json, String tokens, String expected) throws IOException {
        assertThat(String.join("", Decoder.read(Optional.of(part(json))).decode(List.of(tokens.split(",")))))
                .isEqualTo(expected);
    }

    /** As CLIP has them: the last letter of a word is another token. */
    @Test
    void wordsEndWithASuffix() throws IOException {
        Tokenizer tokenizer =
                TokenizerFile.read(Files.writeString(folder.resolve("tokenizer.json"), """
                    {'model':{'type':'BPE','end_of_word_suffix':'</w>','merges':['l o','lo w</w>'],
                    'vocab':{'l':0,'o':1,'w':2,'w</w>':3,'lo':4,'low</w>':5,'o</w>':6}},
                    'pre_tokenizer':{'type':'WhitespaceSplit'},'decoder':{'type':'BPEDecoder'}}
                    """.replace('\'', '"')));
        int[] tokens = tokenizer.encode("low lo wlow".getBytes(StandardCharsets.UTF_8));
        assertThat(tokens).containsExactly(5, 0, 6, 2, 5);
        assertThat(tokenizer.decode(tokens)).isEqualTo("low lo wlow");
    }
}
