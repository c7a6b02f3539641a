package dev.remat.tests.language;

import org.junit.jupiter.api.Test;

/** What layers made of several operations compute, on numbers that can be checked by hand. */
class LayerValuesTest extends BodyTest {
    @Test
    void patchesAreColumnsAndAddUpAgain() {
        String image = "input x: f32[1, 1, 2, 3]\n";
        expect(image + "y = unfold(x, 2)", 0, 1, 1, 2, 3, 4, 4, 5);
        expect(image + "y = fold(unfold(x, 2), (2, 3), 2)", 0, 2, 2, 3, 8, 5);
        expect(image + "y = unfold(x, (1, 2), dilation = 2, stride = 2)", 0, 2);
        expect(image + "y = unfold(x, (2, 1), padding = (0, 1), stride = 4)", 0, 0, 0, 0);
        expect("input x: f32[1, 2, 1, 2]\ny = unfold(x, (1, 2))", 0, 1, 2, 3);
        expect("input x: f32[1, 4, 1]\ny = fold(x, (1, 3), (1, 2), padding = (0, 1), stride = 4)", 1, 0, 0, 3, 0, 0);
    }

    @Test
    void paddingOfAConvolutionMayBeOfElements() {
        with("x", 1, 2, 4, 8).with("c.weight", 1, 10, 100);
        String conv = "input x: f32[1, 1, 4]\ny = conv1d(x, 1, 3, padding = 1, bias = false";
        expect(conv + ") as c", 210, 421, 842, 84);
        expect(conv + ", padding_mode = \"reflect\") as c", 212, 421, 842, 484);
        expect(conv + ", padding_mode = \"replicate\") as c", 211, 421, 842, 884);
        expect(conv + ", padding_mode = \"circular\") as c", 218, 421, 842, 184);
    }

    @Test
    void weightsOfUnitLengthGetTheLengthsTheyAreGiven() {
        with("x", 1, 10).with("a.weight_v", 3, 4, 0, -2).with("a.weight_g", 5, 1);
        String body = "input x: f32[2]\ny = linear(x, 2, bias = false, weight_norm = true) as a";
        expect(body, 43, -10);
        with("a.weight_v", 6, 8, 0, -1);
        expect(body, 43, -10);
        with("a.weight_g", 10, 2);
        expect(body, 86, -20);
    }

    @Test
    void einsumNamesAxes() {
        expect("input a: f32[2, 3]\ny = einsum(\"ij->ji\", a)", 0, 3, 1, 4, 2, 5);
        expect("input a: f32[2, 3]\ny = einsum(\"ij\", a) - a + einsum(\"ij->\", a)", 15, 15, 15, 15, 15, 15);
        expect("input a: f32[2]\ninput b: f32[3]\ny = einsum(\"i,j->ji\", a, b)", 0, 0, 0, 1, 0, 2);
        expect("input a: f32[2, 2]\ninput b: f32[2, 2]\ny = einsum(\"ij,jk\", a, b)", 2, 3, 6, 11);
        expect("input a: f32[2, 2]\ninput b: f32[2, 2]\ny = einsum(\"ji, jk -> ki\", a, b)", 4, 6, 6, 10);
        expect("input a: f32[2, 2]\ninput b: f32[2]\ny = einsum(\"...i,...i->...\", a, b)", 1, 3);
        expect("input a: f32[2]\ninput b: f32[2]\ninput c: f32[2]\ny = einsum(\"i,i,j->j\", a, b, c)", 0, 1);
    }

    @Test
    void poolsAdaptToTheirOutput() {
        expect("input x: f32[1, 1, 5]\ny = adaptive_avg_pool1d(x, 2)", 1, 3);
        expect("input x: f32[1, 1, 5]\ny = adaptive_max_pool1d(x, 3)", 1, 3, 4);
        expect("input x: f32[1, 1, 2, 2]\ny = adaptive_avg_pool2d(x, (1, 2))", 1, 2);
        expect("input x: f32[1, 1, 4]\ny = max_pool1d(x, 3, stride = 1, padding = 1)", 1, 2, 3, 3);
        expect("input x: f32[1, 1, 4]\ny = avg_pool1d(x, 2)", 0.5, 2.5);
        expect("input x: f32[1, 1, 2, 2, 2]\ny = max_pool3d(x, 2) + avg_pool3d(x, 2)", 7 + 3.5);
    }

    @Test
    void poolsCountAPartOfAWindowWhereAsked() {
        expect("input x: f32[1, 1, 3]\ny = max_pool1d(x, 2, ceil_mode = true)", 1, 2);
        expect("input x: f32[1, 1, 3]\ny = max_pool1d(x, 2)", 1);
        expect("input x: f32[1, 1, 5]\ny = max_pool1d(-x, 2, stride = 1, dilation = 3)", 0, -1);
        expect("input x: f32[1, 1, 5]\ny = max_pool1d(-x, 2, stride = 2, dilation = 3, ceil_mode = true)", 0, -2);
        double none = Double.NEGATIVE_INFINITY;
        expect("input x: f32[1, 1, 3]\ny = max_pool1d(x, 2, stride = 1, padding = 1, dilation = 4)", none);
        expect("input x: f32[1, 1, 3]\ny = avg_pool1d(x, 2, ceil_mode = true)", 0.5, 2);
        // The last window reaches over the padding, which counts, and beyond it.
        String padded = "input x: f32[1, 1, 4]\ny = avg_pool1d(x, 3, stride = 2, padding = 1, ceil_mode = true";
        expect(padded + ")", 1 / 3.0, 2, 1.5);
        expect(padded + ", count_include_pad = false)", 0.5, 2, 3);
        // The third window would begin in the padding behind.
        String apart = "input x: f32[1, 1, 7]\ny = avg_pool1d(x, 2, stride = 4, padding = 1, ceil_mode = true";
        expect(apart + ")", 0, 3.5);
        expect("input x: f32[1, 1, 3, 2, 2]\ny = avg_pool3d(x, 2, ceil_mode = true)", 3.5, 9.5);
        // Of four rows and columns with padding, windows of three at 0, 2 and 4: 9, 6 and 4 places of each count.
        String square = "input x: f32[1, 1, 4, 4]\ny = avg_pool2d(x, 3, stride = 2, padding = 1, ceil_mode = true)";
        expect(square, 10 / 9.0, 24 / 9.0, 10 / 6.0, 51 / 9.0, 90 / 9.0, 33 / 6.0, 25 / 6.0, 42 / 6.0, 15 / 4.0);
        expect("input x: f32[1, 1, 3, 3]\ny = max_pool2d(x, 2, ceil_mode = true)", 4, 5, 7, 8);
    }

    @Test
    void paddingTakesElementsOfItsOwn() {
        expect("input x: f32[3]\ny = pad(x, (2, 1), mode = \"reflect\")", 2, 1, 0, 1, 2, 1);
        expect("input x: f32[3]\ny = pad(x, (2, 1), mode = \"replicate\")", 0, 0, 0, 1, 2, 2);
        expect("input x: f32[3]\ny = pad(x, (2, 1), mode = \"circular\")", 1, 2, 0, 1, 2, 0);
    }

    @Test
    void imagesChangeTheirSize() {
        with("x", 0, 4);
        String x = "input x: f32[1, 1, 1, 2]\ny = ";
        expect(x + "upsample(x, (1, 2), mode = \"bilinear\")", 0, 1, 3, 4);
        expect(x + "upsample(x, size = (1, 3), mode = \"bilinear\", align_corners = true)", 0, 2, 4);
        expect(x + "upsample(x, size = (1, 3), mode = \"bicubic\", align_corners = true)", 0, 2, 4);
        expect(x + "upsample(x, size = (1, 3))", 0, 0, 4);
        expect(x + "upsample(x, size = (2, 1), mode = \"bilinear\")", 2, 2);
        // Weights of the cubic kernel at 0.25: -0.10546875, 0.87890625, 0.26171875, -0.03515625.
        expect(x + "upsample(x, (1, 2), mode = \"bicubic\")", -0.421875, 4 * 0.2265625, 4 * 0.7734375, 4.421875);
    }

    @Test
    void pixelsMoveIntoChannelsAndBack() {
        expect("input x: f32[1, 4, 1, 2]\ny = pixel_shuffle(x, 2)", 0, 2, 1, 3, 4, 6, 5, 7);
        expect("input x: f32[1, 1, 2, 4]\ny = pixel_unshuffle(x, 2)", 0, 2, 1, 3, 4, 6, 5, 7);
    }

    @Test
    void convolutionsOverOneAndThreeAxes() {
        with("x", 1, 2, 3).with("conv1d.weight", 1, 10).with("conv1d.bias", 0);
        expect("input x: f32[1, 1, 3]\ny = conv1d(x, 1, 2, padding = \"same\")", 21, 32, 3);
        with("conv_transpose1d.weight", 1, 10, 100).with("conv_transpose1d.bias", 0);
        expect("input x: f32[1, 1, 3]\ny = conv_transpose1d(x, 1, 3, padding = 1)", 12, 123, 230);
        with("conv3d.weight", 1, 10).with("conv3d.bias", 0.5);
        expect("input x: f32[1, 1, 3, 1, 1]\ny = conv3d(x, 1, (2, 1, 1), padding = (1, 0, 0))", 10.5, 21.5, 32.5, 3.5);
    }

    @Test
    void spreadAndLength() {
        with("x", 1, 2, 3, 6);
        expect("input x: f32[4]\ny = var(x) * 3 - std(x, correction = 0) ** 2 * 4", 0);
        expect("input x: f32[4]\ny = var(x)", 14 / 3.0);
        expect("input x: f32[2, 2]\ny = norm(x, p = 1.0, axis = 1)", 3, 9);
        expect("input x: f32[2, 2]\ny = norm(x) + norm(x, p = 0.0)", Math.sqrt(50) + 4);
        with("x", 1000, 1000, -1000, 1);
        expect("input x: f32[2, 2]\ny = logsumexp(x, axis = 1)", 1000 + Math.log(2), 1);
        with("x", 3, 4, 0, 0);
        expect("input x: f32[2, 2]\ny = normalize(x)", 0.6, 0.8, 0, 0);
        expect(
                "input x: f32[4]\ny = dot(x, x) + outer(x, x)",
                34,
                37,
                25,
                25,
                37,
                41,
                25,
                25,
                25,
                25,
                25,
                25,
                25,
                25,
                25,
                25);
    }

    @Test
    void normalizationsOfImages() {
        with("x", 1, 3, 2, 6).with("instance_norm.weight", 1, 2).with("instance_norm.bias", 0, 5);
        expect("input x: f32[1, 2, 2]\ny = instance_norm(x, affine = true, eps = 0)", -1, 1, 3, 7);
        with("x", 1, 2, 3);
        expect("input x: f32[1, 3, 1]\ny = local_response_norm(x, 2, alpha = 2, beta = 1)", 1 / 2.0, 2 / 6.0, 3 / 14.0);
    }

    @Test
    void partsAndTheirJoining() {
        expect("input x: f32[2]\ny = stack([x, 2 * x], axis = -1)", 0, 0, 1, 2);
        expect("input x: f32[5]\na, b = chunk(x, 2)\ny = a - concat([b, zeros([1])])", -3, -3, 2);
        expect("input x: f32[4]\ny = masked_fill(x, x > 1, -1)", 0, 1, -1, -1);
        with("i", 2, 0, 3);
        expect("input i: i32[3]\ny = one_hot(i, 3)", 0, 0, 1, 1, 0, 0, 0, 0, 0);
    }

    /** A recurrent network is its cell, step by step. */
    @Test
    void networksRunTheirCells() {
        with("x", 0.5, -1).with("lstm.weight_ih_l0", 0.1, 0.2, 0.3, 0.4).with("lstm.weight_hh_l0", 1, 2, 3, 4);
        with("lstm.bias_ih_l0", 0, 0, 1, 0).with("lstm.bias_hh_l0", 0.5, 0, 0, 0);
        String cell = "lstm_cell(slice(x, %d, %d, axis = 1) |> squeeze(1), %s, 1, weight_ih = l.weight_ih_l0, "
                + "weight_hh = l.weight_hh_l0, bias_ih = l.bias_ih_l0, bias_hh = l.bias_hh_l0)";
        with("l.weight_ih_l0", 0.1, 0.2, 0.3, 0.4).with("l.weight_hh_l0", 1, 2, 3, 4);
        with("l.bias_ih_l0", 0, 0, 1, 0).with("l.bias_hh_l0", 0.5, 0, 0, 0);
        expect(
                "input x: f32[1, 2, 1]\nall, last = lstm(x, 1) as l\nh, c = "
                        + cell.formatted(0, 1, "zeros([1, 1]), zeros([1, 1])") + "\nh2, c2 = "
                        + cell.formatted(1, 2, "h, c")
                        + "\ny = concat([all - stack([h, h2], axis = 1), last[0] - h2, last[1] - c2], axis = 1)",
                0,
                0,
                0,
                0);
        with("r.weight_ih_l0", 2)
                .with("r.weight_hh_l0", 3)
                .with("r.bias_ih_l0", 0.5)
                .with("r.bias_hh_l0", 1);
        double first = Math.tanh(2 * 0.5 + 1.5);
        double second = Math.tanh(2 * -1 + 1.5 + 3 * first);
        expect(
                "input x: f32[1, 2, 1]\nall, last = rnn(x, 1) as r\ny = concat([all, last], axis = 1)",
                first,
                second,
                second);
    }
}
