package dev.remat.runtime.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Probabilities 0.1, 0.4, 0.2, 0.3 of the tokens 0 to 3. */
class SamplingTest {
    private static final double[] LOGITS = {Math.log(1), Math.log(4), Math.log(2), Math.log(3)};
    private static final int DRAWS = 1000;

    /** How often each token comes when the random number takes every value of a grid. */
    private static List<Integer> counts(Sampling sampling, double... logits) {
        List<Integer> counts = new ArrayList<>(Collections.nCopies(logits.length, 0));
        for (int i = 0; i < DRAWS; i++) {
            int token = sampling.draw(logits, (i + 0.5) / DRAWS);
            counts.set(token, counts.get(token) + 1);
        }
        return counts;
    }

    @Test
    void drawsByProbability() {
        assertThat(counts(new Sampling(1, 0, 1), LOGITS)).containsExactly(100, 400, 200, 300);
    }

    @Test
    void theTemperatureDividesLogits() {
        // Squares at one half: 1, 16, 4, 9 of 30.
        assertThat(counts(new Sampling(0.5, 0, 1), LOGITS)).containsExactly(33, 533, 134, 300);
        assertThat(counts(new Sampling(1e-300, 0, 1), LOGITS)).containsExactly(0, 1000, 0, 0);
        assertThat(counts(new Sampling(0, 0, 1), LOGITS)).containsExactly(0, 1000, 0, 0);
        assertThat(counts(new Sampling(1e9, 0, 1), LOGITS)).containsExactly(250, 250, 250, 250);
    }

    @Test
    void topKKeepsTheLikeliest() {
        assertThat(counts(new Sampling(1, 2, 1), 0, Math.log(3), -1, 0)).containsExactly(250, 750, 0, 0);
        assertThat(counts(new Sampling(1, 1, 1), LOGITS)).isEqualTo(counts(Sampling.greedy(), LOGITS));
        assertThat(counts(new Sampling(1, 9, 1), LOGITS)).isEqualTo(counts(new Sampling(1, 0, 1), LOGITS));
    }

    @Test
    void topPKeepsAShareAndWhatCompletesIt() {
        assertThat(counts(new Sampling(1, 0, 0.39), LOGITS)).containsExactly(0, 1000, 0, 0);
        // Likely tokens come first: 4 / 9 end at 444.4 and 7 / 9 at 777.8 of the grid.
        assertThat(counts(new Sampling(1, 0, 0.69), LOGITS)).containsExactly(0, 571, 0, 429);
        assertThat(counts(new Sampling(1, 0, 0.71), LOGITS)).containsExactly(0, 444, 222, 334);
        // Of the two that top-k keeps, one has more than a half.
        assertThat(counts(new Sampling(1, 2, 0.5), LOGITS)).containsExactly(0, 1000, 0, 0);
    }

    @Test
    void whatHasNoProbabilityIsNotDrawn() {
        double none = Double.NEGATIVE_INFINITY;
        assertThat(counts(new Sampling(1, 0, 1), none, 0, none, 0)).containsExactly(0, 500, 0, 500);
        assertThat(Sampling.greedy().draw(new double[] {none, none, -5}, 0)).isEqualTo(2);
        assertThatThrownBy(() -> new Sampling(-1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Sampling(1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
