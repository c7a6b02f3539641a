package dev.remat.tests.language;

import org.junit.jupiter.api.Test;

/** What activations, losses and metrics made of several operations compute, on numbers that can be checked by hand. */
class LossValuesTest extends BodyTest {
    private static final String PAIR = "input x: f32[3]\ninput t: f32[3]\n";
    private static final String SCORES = "input x: f32[2, 2]\ninput i: i32[2]\ninput w: f32[2]\n";

    @Test
    void activationsChangeAtTheirKinks() {
        with("x", -4, -1, 0.25, 8);
        String x = "input x: f32[4]\ny = ";
        expect(x + "elu(x, alpha = 2)", 2 * Math.expm1(-4), 2 * Math.expm1(-1), 0.25, 8);
        expect(x + "celu(x, alpha = 2)", 2 * Math.expm1(-2), 2 * Math.expm1(-0.5), 0.25, 8);
        expect(x + "hardtanh(x, max_val = 4)", -1, -1, 0.25, 4);
        expect(x + "relu6(x) + hardshrink(x)", -4, -1, 0.25, 14);
        expect(x + "hardsigmoid(x)", 0, 1.0 / 3, 3.25 / 6, 1);
        expect(x + "hardswish(x)", 0, -1.0 / 3, 0.25 * 3.25 / 6, 8);
        expect(x + "softshrink(x)", -3.5, -0.5, 0, 7.5);
        expect(x + "threshold(x, 0, 7) + softsign(x)", 7 - 0.8, 6.5, 0.25 + 0.2, 8 + 8 / 9.0);
        expect(x + "glu(x)", -4 * sigmoid(0.25), -sigmoid(8));
        expect(x + "logsigmoid(x) - log(sigmoid(x)) + tanhshrink(x) - x + tanh(x)", 0, 0, 0, 0);
    }

    @Test
    void regressionLossesGrowFromAParabolaToALine() {
        with("x", 1, 2, 5).with("t", 1, 1, 1);
        expect(PAIR + "y = mse(x, t, reduction = \"sum\")", 17);
        expect(PAIR + "y = l1_loss(x, t)", 5.0 / 3);
        expect(PAIR + "y = smooth_l1(x, t, beta = 2, reduction = \"none\")", 0, 0.25, 3);
        expect(PAIR + "y = huber(x, t, delta = 2, reduction = \"none\")", 0, 0.5, 6);
        expect(PAIR + "y = smooth_l1(x, t, beta = 0) - mae(x, t)", 0);
    }

    @Test
    void weightsCountRows() {
        double log3 = Math.log(3);
        with("x", 0, log3, log3, 0).with("i", 1, 1).with("w", 1, 4);
        double likely = -Math.log(0.75);
        double unlikely = -Math.log(0.25);
        expect(SCORES + "y = cross_entropy(x, i, reduction = \"none\")", likely, unlikely);
        expect(SCORES + "y = cross_entropy(x, i, weight = w, reduction = \"sum\")", 4 * (likely + unlikely));
        expect(SCORES + "y = cross_entropy(x, i, sample_weight = w)", (likely + 4 * unlikely) / 5);
        expect(SCORES + "y = nll_loss(log_softmax(x), i, weight = w)", (likely + unlikely) / 2);
        with("i", 1, -100);
        expect(SCORES + "y = cross_entropy(x, i, reduction = \"none\")", likely, 0);
        expect(SCORES + "y = cross_entropy(x, i, weight = w, sample_weight = w)", likely);
        expect(SCORES + "y = accuracy(x, i, ignore_index = -100) + perplexity(x, i)", 1 + 4 / 3.0);
        with("i", 1, 1);
        expect(SCORES + "y = accuracy(x, i)", 0.5);
        expect(SCORES + "y = accuracy(x, i, top_k = 2)", 1);
        expect(
                SCORES + "y = multi_margin_loss(x, i, margin = 2, reduction = \"none\")",
                (2 - log3) / 2,
                (2 + log3) / 2);
    }

    /** As argmax, so that a model that tells nothing apart has the accuracy of a guess. */
    @Test
    void ofEqualScoresTheFirstIsTheGuess() {
        String four = "input x: f32[4, 4]\ninput i: i32[4]\n";
        with("x", new double[16]).with("i", 0, 1, 2, 3);
        expect(four + "y = accuracy(x, i)", 0.25);
        expect(four + "y = accuracy(x, i, top_k = 3)", 0.75);
        expect(four + "y = accuracy(x, i) - mean(cast(argmax(x, axis = 1) == i, f32))", 0);
        with("x", 5, 5, 1, 1, 5, 5, 1, 1, 1, 5, 5, 5, Double.NaN, 0, 0, 1);
        expect(four + "y = accuracy(x, i)", 0.25);
        expect(four + "y = accuracy(x, i, top_k = 2)", 1);
    }

    @Test
    void lossesOfProbabilities() {
        with("x", 0, 0, 0).with("t", 1, 0, 0);
        double half = Math.log(2);
        expect(
                PAIR + "y = bce_with_logits(x, t, pos_weight = full([1], 3), reduction = \"none\")",
                3 * half,
                half,
                half);
        expect(PAIR + "y = bce_with_logits(x, t, weight = t, reduction = \"sum\")", half);
        expect(PAIR + "y = focal(x, t, reduction = \"none\")", half / 16, 3 * half / 16, 3 * half / 16);
        expect(PAIR + "y = focal(x, t, alpha = -1, gamma = 0)", half);
        expect(PAIR + "y = bce(x, t, reduction = \"none\")", 100, 0, 0);
        expect(PAIR + "y = bce(x + 0.5, t, weight = t)", half / 3);
        expect(PAIR + "y = gaussian_nll(x, t, full([1], 4), reduction = \"none\")", half + 0.125, half, half);
        expect(PAIR + "y = gaussian_nll(x, t, x, eps = 0.5, full = true)", (Math.log(Math.PI) + 2 / 3.0) / 2);
        expect(PAIR + "y = kl_div(x - 1, t, reduction = \"sum\")", 1);
        expect(PAIR + "y = kl_div(x, t, log_target = true, reduction = \"none\")", Math.E, 0, 0);
    }

    /** All classes are alike in each frame, so that losses count paths. */
    @Test
    void labelsOfUnknownPlaceAreSpelledByPaths() {
        String ctc = "input i: i32[4, 2]\ninput n: i32[4]\ninput m: i32[4]\ny = ctc_loss(zeros([4, 4, 3]), i, n, m";
        // A label in two frames has 3 paths, two in four have C(6, 4), or C(5, 4) with a blank between equal ones.
        with("i", 1, 7, 1, 2, 1, 1, 7, 7).with("n", 2, 4, 4, 3).with("m", 1, 2, 2, 0);
        expect(ctc + ", reduction = \"none\")", -Math.log(3), -Math.log(15), -Math.log(5), 0);
        expect(ctc + ", reduction = \"sum\")", -Math.log(3 * 15 * 5));
        expect(ctc + ")", -(Math.log(3) + Math.log(15) / 2 + Math.log(5) / 2) / 4);
        // Two equal labels want three frames.
        with("n", 2, 1, 2, 0);
        double none = Double.POSITIVE_INFINITY;
        expect(ctc + ", reduction = \"none\")", -Math.log(3), none, none, 0);
        expect(ctc + ", reduction = \"none\", zero_infinity = true)", -Math.log(3), 0, 0, 0);
        with("i", 0, 7, 1, 0, 1, 1, 7, 7).with("n", 2, 4, 4, 3);
        expect(ctc + ", blank = 2, reduction = \"none\")", -Math.log(3), -Math.log(15), -Math.log(5), 0);
    }

    @Test
    void similarVectorsAreNear() {
        with("x", 3, 4, 0).with("t", 4, 3, 0);
        expect(PAIR + "y = cosine_similarity(x, t, axis = 0)", 0.96);
        expect(PAIR + "y = cosine_embedding_loss(x, t, full([], -1), margin = 0.46)", 0.5);
        expect(PAIR + "y = triplet_margin_loss(x, t, zeros([3]), eps = 0, margin = 4)", Math.sqrt(2) - 1);
        with("t", 1, -1, 0);
        expect(PAIR + "y = margin_ranking_loss(x, zeros([3]), t, margin = 1, reduction = \"none\")", 0, 5, 1);
        expect(PAIR + "y = hinge_embedding_loss(x, t, margin = 5, reduction = \"none\")", 3, 1, 0);
    }
}
