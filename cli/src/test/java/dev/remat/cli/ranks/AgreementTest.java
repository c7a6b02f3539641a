package dev.remat.cli.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.process.ProcessGrid;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgreementTest {
    private static final ProcessGrid GRID = new ProcessGrid(2, 2);

    private static List<String> differing(
            Map<String, String> first, Map<String, String> second, Map<String, String> third) {
        return Agreement.differing(List.of(first, second, third), GRID);
    }

    @Test
    void aStageMayHaveNoneOfALibraryOfAnother() {
        Map<String, String> blas = Map.of("seed", "1", "platform openblas", "Zen");
        Map<String, String> none = Map.of("seed", "1");
        assertThat(differing(blas, none, blas)).isEmpty();
        assertThat(differing(none, blas, blas)).isEmpty();
    }

    @Test
    void whoeverHasItHasTheSame() {
        Map<String, String> none = Map.of("seed", "1");
        assertThat(differing(
                        none,
                        Map.of("seed", "1", "platform openblas", "Zen"),
                        Map.of("seed", "1", "platform openblas", "Haswell")))
                .containsExactly("platform openblas is Zen on " + GRID.name(1) + " and Haswell on " + GRID.name(2));
    }

    @Test
    void allElseIsEverywhere() {
        Map<String, String> facts = Map.of("seed", "1", "tie", "yes");
        Map<String, String> fewer = Map.of("seed", "2");
        assertThat(differing(facts, fewer, facts))
                .containsExactly(
                        "seed is 1 on " + GRID.name(0) + " and 2 on " + GRID.name(1),
                        "tie is yes on " + GRID.name(0) + " and nothing on " + GRID.name(1));
        assertThat(differing(fewer, fewer, Map.of("seed", "2", "tie", "yes")))
                .containsExactly(
                        "tie is yes on " + GRID.name(2) + " and nothing on " + GRID.name(0),
                        "tie is yes on " + GRID.name(2) + " and nothing on " + GRID.name(1));
    }
}
