package dev.remat.tests.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.training.Purpose;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What builtins made of several operations compute, on numbers that can be checked by hand. */
class BuiltinValuesTest extends BodyTest {
    @Test
    void lstmCellHasPyTorchsGates() {
        with("x", 0.5).with("h", -0.25).with("c", 2.0);
        with("lstm_cell.weight_ih", 0.1, 0.2, 0.3, 0.4).with("lstm_cell.weight_hh", 1, 2, 3, 4);
        with("lstm_cell.bias_ih", 0, 0, 1, 0).with("lstm_cell.bias_hh", 0.5, 0, 0, 0);
        double input = sigmoid(0.1 * 0.5 - 0.25 + 0.5);
        double forget = sigmoid(0.2 * 0.5 - 0.5);
        double candidate = Math.tanh(0.3 * 0.5 - 0.75 + 1);
        double output = sigmoid(0.4 * 0.5 - 1);
        double c = forget * 2 + input * candidate;
        expect("""
            input x: f32[1, 1]
            input h: f32[1, 1]
            input c: f32[1, 1]
            y = concat(lstm_cell(x, h, c, 1), axis = 1)\
            """, output * Math.tanh(c), c);
    }

    @Test
    void gruCellHasPyTorchsGates() {
        with("x", 0.5).with("h", -0.25);
        with("gru_cell.weight_ih", 0.1, 0.2, 0.3).with("gru_cell.weight_hh", 1, 2, 3);
        with("gru_cell.bias_ih", 0, 0.5, 1).with("gru_cell.bias_hh", 0.5, 0, 0.25);
        double reset = sigmoid(0.1 * 0.5 - 0.25 + 0.5);
        double update = sigmoid(0.2 * 0.5 - 0.5 + 0.5);
        double candidate = Math.tanh(0.3 * 0.5 + 1 + reset * (-0.75 + 0.25));
        expect("""
            input x: f32[1, 1]
            input h: f32[1, 1]
            y = gru_cell(x, h, 1)\
            """, (1 - update) * candidate + update * -0.25);
    }

    @Test
    void runningFunctionsTakeAllElementsUpToEach() {
        with("x", 2, 3, 0, 5, -1, 2, 2, 4);
        expect("input x: f32[2, 4]\ny = cumprod(x, axis = 1)", 2, 6, 0, 0, -1, -2, -4, -16);
        expect("input x: f32[2, 4]\ny = cumprod(x, axis = 0)", 2, 3, 0, 5, -2, 6, 0, 20);
        with("i", 7, 2, 2, 3, 1);
        expect("input i: i32[5]\ny = cast(cumprod(i, axis = 0), f32)", 7, 14, 28, 84, 84);
        with("x", 1, 3, 3, Double.NaN, 7, -2, -2, -5);
        expect("input x: f32[2, 4]\ny, _ = cummax(x, axis = 1)", 1, 3, 3, Double.NaN, 7, 7, 7, 7);
        expect("input x: f32[2, 4]\n_, i = cummax(x, axis = 1)\ny = cast(i, f32)", 0, 1, 2, 3, 0, 0, 0, 0);
        expect("input x: f32[2, 4]\n_, i = cummin(x, axis = -1)\ny = cast(i, f32)", 0, 0, 0, 3, 0, 1, 2, 3);
        expect(
                "input x: f32[8]\ny, _ = cummin(x, axis = 0)",
                1,
                1,
                1,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN);
    }

    @Test
    void distancesAreBetweenAllRows() {
        with("a", 0, 0, 3, 4).with("b", 0, 0, 6, 8, 3, 0);
        String rows = "input a: f32[2, 2]\ninput b: f32[3, 2]\n";
        expect(rows + "y = cdist(a, b)", 0, 10, 3, 5, 5, 4);
        expect(rows + "y = cdist(a, b, p = 1)", 0, 14, 3, 7, 7, 4);
        expect(rows + "y = cdist(a[none], b[none, 1:], p = inf)", 8, 3, 4, 4);
    }

    @Test
    void linearMultipliesByTheTransposedWeight() {
        with("linear.weight", 1, 2, 3, 4, 5, 6).with("linear.bias", 10, 20);
        expect("input x: f32[1, 2, 3]\ny = linear(x, 2)", 18, 37, 36, 82);
        expect("input x: f32[3]\ny = linear(x, 2)", 18, 37);
    }

    @Test
    void convolutionsMoveOverTheLastAxes() {
        with("conv1d.weight", 1, -1).with("conv1d.bias", 0.5);
        expect("input x: f32[1, 1, 4]\ny = conv1d(x, 1, 2)", -0.5, -0.5, -0.5);
        with("x", 1, 2, 3, 4).with("conv_transpose2d.weight", 1, 10, 100, 1000).with("conv_transpose2d.bias", 0);
        expect(
                "input x: f32[1, 1, 2, 2]\ny = conv_transpose2d(x, 1, 2, stride = 2)",
                1,
                10,
                2,
                20,
                100,
                1000,
                200,
                2000,
                3,
                30,
                4,
                40,
                300,
                3000,
                400,
                4000);
    }

    @Test
    void poolingAndUpsamplingKeepBatchAndChannels() {
        expect("input x: f32[1, 1, 2, 2]\ny = upsample(x, (1, 2))", 0, 0, 1, 1, 2, 2, 3, 3);
        expect("input x: f32[1, 2, 2, 1]\ny = global_avg_pool(x)", 0.5, 2.5);
        expect("input x: f32[1, 2, 2, 1]\ny = global_max_pool(x)", 1, 3);
        expect("input x: f32[1, 1, 2, 2]\ny = max_pool2d(x, 2) + avg_pool2d(x, 2)", 4.5);
    }

    @Test
    void normalizationsTakeTheirOwnAxes() {
        with("x", 1, 3, 2, 6).with("group_norm.weight", 1, 2, 3, 4).with("group_norm.bias", 0, 0, 0, 10);
        expect("input x: f32[1, 4, 1]\ny = group_norm(x, 2, eps = 0)", -1, 2, -3, 14);
        with("layer_norm.weight", 1, 2).with("layer_norm.bias", 0, 5);
        expect("input x: f32[2, 2]\ny = layer_norm(x, eps = 0)", -1, 7, -1, 7);
        with("rms_norm.weight", 1, 1);
        expect("input x: f32[1, 2]\ny = rms_norm(x, eps = 0)", 1 / Math.sqrt(5), 3 / Math.sqrt(5));
        with("batch_norm.weight", 1, 2).with("batch_norm.bias", 0, 5);
        expect("input x: f32[2, 2]\ny = batch_norm(x, eps = 0)", -1, 3, 1, 7);
    }

    @Test
    void evaluationNormalizesByRunningStatisticsAndDropsNothing() {
        with("x", 1, 3, 2, 6).with("batch_norm.weight", 1, 1).with("batch_norm.bias", 0, 0);
        with("batch_norm.running_mean", 1, 2).with("batch_norm.running_var", 4, 16);
        double[] y = y("input x: f32[2, 2]\ny = dropout(batch_norm(x, eps = 0), 0.9)", Purpose.EVALUATE);
        assertThat(y).containsExactly(new double[] {0, 0.25, 0.5, 1}, within(1e-12));
    }

    @Test
    void lossesAreMeans() {
        with("x", 0, 0, 0, 0).with("t", 1, 0, 1, 0);
        expect("input x: f32[4]\ninput t: f32[4]\ny = bce_with_logits(x, t)", Math.log(2));
        expect("input x: f32[4]\ninput t: f32[4]\ny = mse(x, t)", 0.5);
        with("l", 0, 1, 5, 2, 3, 3).with("c", 1, 0, 0);
        expect("input l: f32[1, 3, 2]\ninput c: i32[1, 3]\ny = accuracy(l, c)", 1);
        expect(
                "input l: f32[1, 3, 2]\ninput c: i32[1, 3]\ny = cross_entropy(l, c)",
                (Math.log(1 + Math.exp(-1)) + Math.log(1 + Math.exp(-3)) + Math.log(2)) / 3);
    }

    @Test
    void headsAreSplitOffTheLastAxis() {
        expect("input x: f32[1, 2, 4]\ny = split_heads(x, 2)", 0, 1, 4, 5, 2, 3, 6, 7);
        expect("input x: f32[1, 2, 4]\ny = merge_heads(split_heads(x, 2))", 0, 1, 2, 3, 4, 5, 6, 7);
        with("m", 1, 0);
        expect("""
            input x: f32[1, 1, 2, 1]
            input m: f32[1, 2]
            y = attention(x, x, x, mask = m > 0)\
            """, 0, 0);
        with("x", 0, 0, 0, 0).with("v", 2, 6).with("b", 0, Math.log(3));
        expect("""
            input x: f32[1, 2, 2, 1]
            input v: f32[1, 1, 2, 1]
            input b: f32[2]
            y = attention(x, slice(x, 0, 1, axis = 1), v, bias = b, causal = true)\
            """, 2, 5, 2, 5);
    }

    /** Zero scores: each query takes the mean of what it sees. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "causal = true | 1, 2",
                "mask = tril(ones([2, 3])) > 0 | 1, 2",
                "mask = causal_mask(2, 3) | 2, 4",
                "mask = causal_mask(2, 3), causal = true | 1, 2"
            })
    void causalCountsFromTheFirstKeyAndTheMaskFromTheLast(String mask, String means) {
        with("q", 0, 0).with("k", 0, 0, 0).with("v", 1, 3, 8);
        expect(
                """
                input q: f32[1, 1, 2, 1]
                input k: f32[1, 1, 3, 1]
                input v: f32[1, 1, 3, 1]
                y = attention(q, k, v, %s)\
                """.formatted(mask),
                Stream.of(means.split(", ")).mapToDouble(Double::parseDouble).toArray());
    }

    @Test
    void partsAreCountedFromTheirAxis() {
        expect("input x: f32[2, 3]\ny = slice(x, -2, 3, axis = 1)", 1, 2, 4, 5);
        expect("input x: f32[1, 2]\ny = pad(x, (1, 0, 0, 1), value = 9)", 9, 0, 1, 9, 9, 9);
        expect("input x: f32[2, 3]\n_, b = split(x, [1, 2], axis = -1)\ny = b", 1, 2, 4, 5);
        expect(
                "input x: f32[2, 3]\ny = softmax(x, axis = 0) * 2",
                twice(1, 3),
                twice(1, 3),
                twice(1, 3),
                2 - twice(1, 3),
                2 - twice(1, 3),
                2 - twice(1, 3));
        with("i", 2, 0);
        expect("input x: f32[2, 3]\ninput i: i32[2, 1]\ny = gather(x, i, axis = 1)", 2, 3);
        expect("input i: i32[2]\ny = embedding(i, 3, 2)", 4, 5, 0, 1);
        expect("y = positions(2, 2, max = 3)", 0, 1, 2, 3);
    }

    /** Twice the softmax of 0 against {@code difference}. */
    private static double twice(double a, double difference) {
        return 2 * a / (1 + Math.exp(difference));
    }

    @Test
    void functionsOfOneNumberAreForTensorsAndHyperParameters() {
        for (String function : List.of(
                "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh", "erf", "exp",
                "exp2", "expm1", "log1p", "square", "abs", "floor", "ceil", "round", "trunc", "sign")) {
            with("x", 0.3, -0.6);
            expect(
                    "input x: f32[2]\ny = " + function + "(x) - concat([full([1], " + function + "(0.3)), full([1], "
                            + function + "(-0.6))])",
                    0,
                    0);
        }
        for (String function : List.of("log", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "acosh")) {
            with("x", 1.5);
            expect("input x: f32[1]\ny = " + function + "(x) - " + function + "(1.5)", 0);
        }
        with("x", 1);
        expect("input x: f32[1]\ny = x * sin(pi / 6) + exp(-inf)", 0.5);
        // The nearest double to 0.1 is more, so that ten of them are more than 1; log(2²⁹)/log(2) is more than 29.
        expect("input x: f32[1]\ny = x * floordiv(1.0, 0.1) + x * ceil(log2(2 ** 29))", 9 + 29);
        expect("input x: f32[1]\ny = x * floordiv(-1.0, 0.25) + x * ceil(log2(2 ** 29 + 1))", -4 + 30);
        expect("input x: f32[1]\ny = concat(split(x * round(2.5), 1)) + ceil(1.2) * floor(-0.5)", 0);
    }

    @Test
    void arangeCountsUpAndDown() {
        expect("y = arange(4)", 0, 1, 2, 3);
        expect("y = cast(arange(3, 9, 2, dtype = i32), f32)", 3, 5, 7);
        expect("y = arange(3, -4, -3)", 3, 0, -3);
        expect("y = arange(0, 1, 0.25)", 0, 0.25, 0.5, 0.75);
        expect("y = linspace(1, 2, 5)", 1, 1.25, 1.5, 1.75, 2);
        expect("input x: f32[3]\ny = x + arange(shape(x, 0)) * 10", 0, 11, 22);
        expect("y = transpose(reshape(arange(6), [2, 3]))", 0, 3, 1, 4, 2, 5);
    }

    @Test
    void tablesHoldWhatIsListed() {
        expect("y = tensor([[1, 2], [3, 0.5]])", 1, 2, 3, 0.5);
        expect("y = transpose(tensor([[1, 2, 3], [4, 5, 6]])) * 2", 2, 8, 4, 10, 6, 12);
        expect("y = cast(tensor([true, false], dtype = bool), f32) + tensor(3)", 4, 3);
        expect("y = cast(tensor([7, -1], dtype = i64), f32)", 7, -1);
    }

    @Test
    void masksFollowFromPositions() {
        expect("y = eye(2)", 1, 0, 0, 1);
        expect("y = eye(2, 3)", 1, 0, 0, 0, 1, 0);
        expect("y = cast(causal_mask(3), f32)", 1, 0, 0, 1, 1, 0, 1, 1, 1);
        expect("y = cast(causal_mask(1, 3), f32)", 1, 1, 1);
        expect("input x: f32[2, 3]\ny = tril(x + 1)", 1, 0, 0, 4, 5, 0);
        expect("input x: f32[2, 3]\ny = triu(x + 1, diagonal = 1)", 0, 2, 3, 0, 0, 6);
        expect("input x: f32[2]\ny = full([2, 2], x + 1) + full_like(full([2, 2], 3), -1)", 0, 1, 0, 1);
    }

    @Test
    void orderAlongAnAxis() {
        with("x", 3, 1, 3, 2, 5, 0);
        String x = "input x: f32[2, 3]\n";
        expect(x + "v, i = sort(x)\ny = v + cast(i, f32) * 10", 11, 3, 23, 20, 2, 15);
        expect(
                x + "v, i = sort(x, axis = 0, descending = true)\ny = concat([v, cast(i, f32)])",
                3,
                5,
                3,
                2,
                1,
                0,
                0,
                1,
                0,
                1,
                0,
                1);
        expect(x + "y = cast(argsort(x), f32)", 1, 0, 2, 2, 0, 1);
        expect(x + "v, i = top_k(x, 2)\ny = v + cast(i, f32) * 10", 3, 23, 15, 2);
        expect(x + "v, i = top_k(x, 1, axis = 0, largest = false)\ny = v + cast(i, f32) * 10", 12, 1, 10);
        expect(x + "y = cast(argmax(x, axis = -1), f32)", 0, 1);
        expect(x + "y = cast(argmin(x, axis = 0, keepdim = true), f32)", 1, 0, 1);
        expect(x + "y = cast(argmax(x), f32)", 4);
        expect(x + "y = cumsum(x, axis = 1)", 3, 4, 7, 2, 7, 7);
        expect(x + "y = cumsum(x, 0)", 3, 1, 3, 5, 6, 3);
        with("x", 1, Double.NaN, 3, 2, 5, 0);
        expect(x + "y = cast(argmax(x, axis = 1) + argmin(x, axis = 1) * 10, f32)", 11, 21);
        expect(x + "y = cast(argsort(x), f32)", 0, 2, 1, 2, 0, 1);
    }

    @Test
    void otherReductions() {
        with("x", 3, 1, 4, 2, 5, 0);
        expect("input x: f32[2, 3]\ny = amin(x, axis = 0) + sum(prod(x, axis = 1))", 14, 13, 12);
        with("i", 1, 2, 3, 4, 5, 1, 1, 2, 2, -7);
        expect("input i: i32[2, 5]\ny = cast(prod(i, axis = 1), f32)", 120, -28);
        expect("input i: i32[2, 5]\ny = cast(prod(i, axis = 0, keepdim = true), f32)", 1, 2, 6, 8, -35);
        expect("input i: i32[2, 5]\ny = cast(prod(i), f32)", -3360);
        expect("input i: i64[1, 7]\ny = cast(prod(i, axis = [0, 1]), f32)", 120);
        expect("input x: f32[2, 3]\ny = cast(any(x > 4, axis = 1), f32) + cast(all(x > 0, axis = 1), f32) * 10", 10, 1);
        expect("input x: f32[2, 3]\ny = cast(all(x > -1), f32)", 1);
    }

    @Test
    void negativePowersOfNormsAreOfTheNearest() {
        with("x", 2, 1, 0, 1);
        expect("input x: f32[2, 2]\ny = norm(x, p = -1.0, axis = 1)", 2 / 3.0, 0);
        expect("input x: f32[2, 2]\ny = norm(x, p = -inf, axis = 1)", 1, 0);
        expect("input x: f32[2, 2]\ny = norm(x, p = 0.5, axis = 1)", 3 + 2 * Math.sqrt(2), 1);
    }

    @Test
    void arrangements() {
        expect("input x: f32[2]\ny = stack([x, x + 5])", 0, 1, 5, 6);
        expect("input x: f32[2]\ny = stack([x, x + 5], axis = -1)", 0, 5, 1, 6);
        expect("input x: f32[1, 2]\ny = tile(x, [2, 2])", 0, 1, 0, 1, 0, 1, 0, 1);
        expect("input x: f32[2]\ny = tile(x, [2, 1])", 0, 1, 0, 1);
        expect("input x: f32[2]\ny = repeat_interleave(x, 2, 0)", 0, 0, 1, 1);
        expect("input x: f32[2, 3]\ny = flip(x, 1) + flip(x, 0) * 10", 32, 41, 50, 5, 14, 23);
        expect("y = cast(flip(arange(3, dtype = i32), 0), f32)", 2, 1, 0);
        expect("input x: f32[2, 3]\ny = roll(x, 1, 1) + roll(x, -1, 0) * 10", 32, 40, 51, 5, 13, 24);
        expect("input x: f32[2, 3]\ny = index_select(x, [2, 0, -1], axis = 1)", 2, 0, 2, 5, 3, 5);
        with("i", 1, 1, 0);
        expect("input x: f32[2, 2]\ninput i: i32[3]\ny = index_select(x, i)", 2, 3, 2, 3, 0, 1);
        expect("input x: f32[2]\ninput i: i32[3]\ny = scatter_add(x, i, tensor([5, 6, 7]), axis = 0)", 7, 12);
        String part = "input x: f32[2, 3]\ninput i: i32[1, 2]\ny = scatter_add(x, i, full([4, 5], 10), axis = ";
        with("i", 2, 2);
        expect(part + "1)", 0, 1, 22, 3, 4, 5);
        with("i", 1, 0);
        expect(part + "0)", 0, 11, 2, 13, 4, 5);
        expect("input x: f32[2, 3]\ny = diagonal(x)", 0, 4);
        expect("input x: f32[2, 3]\ny = diagonal(x, offset = 1)", 1, 5);
        expect("input x: f32[2, 3]\ny = diagonal(x, offset = -1)", 3);
        expect("input x: f32[2, 1, 2]\ny = diagonal(x, axis0 = 0)", 0, 3);
        bound("T", 3);
        String open = "symbol T\ninput x: f32[T, T]\n";
        expect(open + "y = diagonal(x)", 0, 4, 8);
        expect(open + "y = diagonal(x, offset = 1)", 1, 5);
        expect(open + "y = diagonal(x, offset = -2)", 6);
        expect("symbol T\ninput x: f32[T, 2]\ny = flip(x, 0) + flip(x, 1) * 10", 14, 5, 32, 23, 50, 41);
        expect("input x: f32[2]\ny = diag_embed(x + 1)", 1, 0, 0, 2);
        expect("input x: f32[2]\ny = diag_embed(x + 1, offset = -1)", 0, 0, 0, 1, 0, 0, 0, 2, 0);
    }

    @Test
    void stoppedGradientsKeepTheirValues() {
        expect("input x: f32[3]\ny = stop_gradient(x) * x", 0, 1, 4);
    }

    @Test
    void remaindersHaveTheSignOfTheDivisor() {
        with("x", 7, -7, 7, -7).with("z", 3, 3, -3, -3);
        String inputs = "input x: f32[4]\ninput z: f32[4]\n";
        expect(inputs + "y = x % z", 1, 2, -2, -1);
        expect(inputs + "y = fmod(x, z)", 1, -1, 1, -1);
        expect(inputs + "y = floordiv(x, z)", 2, -3, -3, 2);
        expect(
                inputs + "y = atan2(x, z) - atan2(7.0, 3)",
                0,
                -2 * Math.atan2(7, 3),
                Math.atan2(7, -3) - Math.atan2(7, 3),
                Math.atan2(-7, -3) - Math.atan2(7, 3));
        expect(inputs + "y = x * 0 + (-7) % 3 + 2.5 % -2 + fmod(-7, 3) + floordiv(-7.5, 2)", -4.5, -4.5, -4.5, -4.5);
    }

    @Test
    void arithmeticBroadcasts() {
        with("x", 1, 4, 9, 16);
        expect(
                "input x: f32[4]\ny = x ** 0.5 + 2 ** x / x ** 2 - x ** -1",
                1 + 2 - 1,
                2 + 1 - 0.25,
                3 + 512 / 81.0 - 1 / 9.0,
                4 + 65536 / 256.0 - 1 / 16.0);
        expect("input x: f32[4]\ny = where(x > 3 and not (x == 9), -x, 0.5)", 0.5, -4, 0.5, -16);
        expect("input x: f32[4]\ny = max(min(x, 10), 2) - clamp(x, max = 5)", 1, 0, 4, 5);
        expect("input x: f32[2, 1, 2]\ninput w: f32[3]\ny = sum(unsqueeze(w, 1) + x, axis = (0, 2))", 30, 34, 38);
        expect("input x: f32[2, 1, 2]\ninput z: f32[2, 1]\ny = x @ z", 4, 16);
        expect("input x: f32[2, 1, 2]\ninput z: f32[2]\ny = amax(reshape(z, [1, 2]) @ transpose(x))", 16);
    }
}
