package dev.remat.tests.language;

import org.junit.jupiter.api.Test;

/** What {@code x[…]} selects, where an element of {@code x} is its own number. */
class SubscriptValuesTest extends BodyTest {
    private static final String X = "input x: f32[2, 3, 4]\n";

    @Test
    void oneElementDropsItsAxis() {
        expect(X + "y = x[1, 2]", 20, 21, 22, 23);
        expect(X + "y = x[:, -1, 0]", 8, 20);
        expect(X + "y = x[-2][1][-1]", 7);
    }

    @Test
    void rangesKeepTheirAxis() {
        expect(X + "y = x[1:, :1, 2:]", 14, 15);
        expect(X + "y = x[..., -3:-1]", 1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22);
        expect(X + "y = x[0, ..., 1]", 1, 5, 9);
        bound("T", 5).expect("symbol T\ninput s: f32[2, T]\ny = s[:, 1:T - 1] - s[:, :T - 2]", 1, 1, 1, 1, 1, 1);
    }

    @Test
    void stepsCountFromTheStart() {
        expect("input r: f32[7]\ny = r[::2]", 0, 2, 4, 6);
        expect("input r: f32[7]\ny = r[1::3]", 1, 4);
        expect("input r: f32[7]\ny = r[1:6:2]", 1, 3, 5);
        expect("input r: f32[7]\ny = slice(r, 2, 7, step = 4)", 2, 6);
        expect(X + "y = x[0, ::2, ::3]", 0, 3, 8, 11);
        bound("T", 5).expect("symbol T\ninput s: f32[2, T]\ny = s[:, ::2]", 0, 2, 4, 5, 7, 9);
        bound("T", 6).expect("symbol T\ninput s: f32[2 * T]\ny = s[1::2]", 1, 3, 5, 7, 9, 11);
    }

    @Test
    void noneIsANewAxis() {
        expect("input r: f32[3]\ny = r[:, none] * r[none]", 0, 0, 0, 0, 1, 2, 0, 2, 4);
    }

    @Test
    void integersPickByNumber() {
        with("i", 1, 0).with("j", 2, 0);
        String ids = X + "input i: i32[2]\ninput j: i64[2]\n";
        expect(ids + "y = x[:, j, 0]", 8, 0, 20, 12);
        expect(ids + "y = x[i, j, 3]", 23, 3);
        expect(ids + "y = x[i, j]", 20, 21, 22, 23, 0, 1, 2, 3);
        expect(ids + "y = x[:, [2, -3], 1]", 9, 1, 21, 13);
        expect(ids + "y = x[i[:, none], j[none], 0]", 20, 12, 8, 0);
        expect(ids + "y = x[i, j, j]", 22, 0);
        expect(X + "input k: i32[2, 2]\ny = x[1, 0, k]", 12, 13, 14, 15);
        expect("input m: i32[3, 2]\ninput i: i32[2]\ninput j: i64[2]\ny = cast(m[j, i], f32)", 5, 0);
    }

    @Test
    void integersPickFromSymbolsToo() {
        with("i", 1, 0).with("j", 4, 0).bound("T", 5);
        expect("symbol T\ninput s: f32[2, T]\ninput i: i32[2]\ninput j: i64[2]\ny = s[i, j]", 9, 0);
        expect("symbol T\ninput s: f32[2, T]\ninput j: i64[2]\ny = s[arange(2, dtype = i32), j]", 4, 5);
    }

    @Test
    void listsHaveParts() {
        expect("y = tensor([1, 2, 3, 4][1:]) * tensor(([5, 6, 7, 8])[:3])", 10, 18, 28);
        expect("y = tensor([1, 2, 3, 4][-3::2])", 2, 4);
    }

    @Test
    void tuplesAreTakenApartInside() {
        expect("a, (b, (c, _)) = 1, (2, (3, 4))\ny = tensor([a, b, c])", 1, 2, 3);
        expect(
                "let s, _ = [0], 0\n"
                        + "for (a, (b, c)) in [(1, (2, 3)), (4, (5, 6))] { s = s + [a * b + c] }\n"
                        + "y = tensor(s)",
                0,
                5,
                26);
    }
}
