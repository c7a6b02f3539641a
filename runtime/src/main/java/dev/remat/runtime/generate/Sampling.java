package dev.remat.runtime.generate;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * How the next token is drawn: logits are divided by the temperature, then the most likely ones are kept, then those of
 * them that together have a share of the probability (nucleus sampling, Holtzman et al., 2020). Of equal logits the
 * lower token comes first.
 *
 * @param temperature 0 takes the most likely token always
 * @param topK how many tokens are kept, at most; 0 keeps all
 * @param topP the share that the kept ones have at least, up to 1, which keeps all
 */
public record Sampling(double temperature, int topK, double topP) {
    public Sampling {
        if (!(temperature >= 0) || Double.isInfinite(temperature) || topK < 0 || !(topP > 0 && topP <= 1)) {
            throw new IllegalArgumentException("temperature " + temperature + ", " + topK + " tokens, share " + topP);
        }
    }

    /** The most likely token always. */
    public static Sampling greedy() {
        return new Sampling(0, 0, 1);
    }

    /**
     * Draws a token.
     *
     * @param logits one a token; of minus infinity where a token must not be drawn, but not all of them
     * @param random uniform on [0, 1)
     */
    public int draw(double[] logits, double random) {
        int best = 0;
        for (int token = 1; token < logits.length; token++) {
            best = logits[token] > logits[best] ? token : best;
        }
        if (temperature == 0 || topK == 1) {
            return best;
        }
        double greatest = logits[best];
        int[] order = IntStream.range(0, logits.length)
                .filter(token -> logits[token] > Double.NEGATIVE_INFINITY)
                .boxed()
                .sorted(Comparator.<Integer>comparingDouble(token -> -logits[token]))
                .limit(topK == 0 ? logits.length : topK)
                .mapToInt(Integer::intValue)
                .toArray();
        double[] weights = Arrays.stream(order)
                .mapToDouble(token -> StrictMath.exp((logits[token] - greatest) / temperature))
                .toArray();
        double total = Arrays.stream(weights).sum();
        int kept = 0;
        double share = 0;
        while (kept < weights.length && (kept == 0 || share < topP * total)) {
            share += weights[kept++];
        }
        double left = random * share;
        for (int i = 0; i < kept; i++) {
            left -= weights[i];
            if (left < 0) {
                return order[i];
            }
        }
        return order[kept - 1];
    }
}
