package dev.remat.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TypedWordsTest {
    private static final TypedWords TYPED =
            new TypedWords(List.of("train", "a b.model", "--ranks", "4", "--set=B=8", "--overwrite", "--shard=none"));

    @Test
    void leavesOptionsOutWithTheirValues() {
        assertThat(TYPED.without(Set.of("--ranks", "--set")).words())
                .containsExactly("train", "a b.model", "--overwrite", "--shard=none");
        assertThat(TYPED.without(Set.of("--rank", "--overwrit"))).isEqualTo(TYPED);
        assertThat(TYPED.withoutFlag("--overwrite").words()).hasSize(6).doesNotContain("--overwrite");
    }

    @Test
    void givesAnOptionAnotherValue() {
        assertThat(TYPED.with("--shard", "all").with("--steps", "3").words())
                .containsExactly(
                        "train",
                        "a b.model",
                        "--ranks",
                        "4",
                        "--set=B=8",
                        "--overwrite",
                        "--shard",
                        "all",
                        "--steps",
                        "3");
    }

    @Test
    void isTextForAShell() {
        assertThat(TYPED.text()).isEqualTo("train 'a b.model' --ranks 4 --set=B=8 --overwrite --shard=none");
    }
}
