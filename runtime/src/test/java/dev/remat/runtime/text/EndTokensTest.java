package dev.remat.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndTokensTest {
    @TempDir
    Path folder;

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private Path tokenizer() throws IOException {
        return file(
                "tokenizer.json",
                "{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0, \"</s>\": 2, \"<end>\": 7, \"<eot>\":"
                        + " 9}}}");
    }

    @Test
    void theFilesBesideTheTokenizerSayThem() throws IOException {
        Path file = tokenizer();
        Tokenizer tokenizer = TokenizerFile.read(file);
        assertThat(EndTokens.of(file, tokenizer)).containsExactly(2);
        file("tokenizer_config.json", "{\"eos_token\": {\"content\": \"<end>\"}}");
        assertThat(EndTokens.of(file, tokenizer)).containsExactly(7);
        file("tokenizer_config.json", "{\"eos_token\": \"<eot>\", \"bos_token\": null}");
        assertThat(EndTokens.of(file, tokenizer)).containsExactly(9);
        file("generation_config.json", "{\"eos_token_id\": [9, 7]}");
        assertThat(EndTokens.of(file, tokenizer)).containsExactly(7, 9);
        file("generation_config.json", "{\"eos_token_id\": 3}");
        assertThat(EndTokens.of(file, tokenizer)).containsExactly(3);
        file("generation_config.json", "{\"eos_token_id\": null}");
        assertThat(EndTokens.of(file, tokenizer)).containsExactly(9);
    }

    @Test
    void damagedFilesAreRefusedWithThePlace() throws IOException {
        Path file = tokenizer();
        Tokenizer tokenizer = TokenizerFile.read(file);
        file("generation_config.json", "{\"eos_token_id\": [9, \"x\"]}");
        assertThatThrownBy(() -> EndTokens.of(file, tokenizer))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("generation_config.json: eos_token_id[1]");
        file("generation_config.json", "{");
        assertThatThrownBy(() -> EndTokens.of(file, tokenizer)).hasMessageContaining("not valid JSON");
    }
}
