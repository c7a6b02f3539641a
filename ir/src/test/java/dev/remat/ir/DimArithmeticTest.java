package dev.remat.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DimArithmeticTest {
    /** Texts of what is calculated, so that its order shows. */
    private static final Dim.Arithmetic<String> TEXT = new Dim.Arithmetic<>() {
        @Override
        public String number(long value) {
            return Long.toString(value);
        }

        @Override
        public String symbol(String name) {
            return name;
        }

        @Override
        public String sum(String a, String b) {
            return "(" + a + " + " + b + ")";
        }

        @Override
        public String product(String a, String b) {
            return a + "·" + b;
        }

        @Override
        public String floorDiv(String a, long divisor) {
            return "⌊" + a + " / " + divisor + "⌋";
        }
    };

    @Test
    void aNumberIsThatNumber() {
        assertThat(Dim.of(7).calculate(TEXT)).isEqualTo("7");
        assertThat(Dim.ZERO.calculate(TEXT)).isEqualTo("0");
    }

    @Test
    void factorsOfOneAndTermsOfZeroAreLeftOut() {
        assertThat(Dim.symbol("B").calculate(TEXT)).isEqualTo("B");
        assertThat(Dim.symbol("B").times(Dim.symbol("T")).calculate(TEXT)).isEqualTo("B·T");
    }

    @Test
    void polynomialsAreSumsOfProducts() {
        Dim dim = Dim.symbol("T")
                .times(Dim.symbol("T"))
                .times(3)
                .plus(Dim.symbol("B"))
                .minus(4);
        assertThat(dim.calculate(TEXT)).isEqualTo("((B + T·T·3) + -4)");
    }

    @Test
    void quotientsAreRoundedDown() {
        Dim dim = Dim.symbol("T").plus(1).floorDiv(2).times(5);
        assertThat(dim.calculate(TEXT)).isEqualTo("⌊(T + 1) / 2⌋·5");
    }

    private static Dim sumOf(int count) {
        Dim sum = Dim.ZERO;
        for (int i = 0; i < count; i++) {
            sum = sum.plus(Dim.symbol("s" + i));
        }
        return sum;
    }

    @Test
    void aPolynomialHasNoMoreSymbolsThanAnyModel() {
        assertThat(sumOf(Dim.MOST_SYMBOLS).isConstant()).isFalse();
        assertThatThrownBy(() -> sumOf(Dim.MOST_SYMBOLS + 1)).isInstanceOf(ArithmeticException.class);
        Dim wide = sumOf(30);
        assertThatThrownBy(() -> wide.times(wide)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> {
                    Dim power = Dim.symbol("B");
                    for (int i = 0; i < 30; i++) {
                        power = power.times(power);
                    }
                })
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> {
                    Dim quotient = Dim.symbol("B");
                    for (int i = 0; i < Dim.MOST_SYMBOLS; i++) {
                        quotient = quotient.plus(1).floorDiv(2);
                    }
                })
                .isInstanceOf(ArithmeticException.class);
    }
}
