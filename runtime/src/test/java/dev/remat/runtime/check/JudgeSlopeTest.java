package dev.remat.runtime.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class JudgeSlopeTest {
    private static SlopeVerdict verdict(double analytic, DoubleUnaryOperator loss) {
        return JudgeSlope.run(analytic, loss).verdict();
    }

    @Test
    void smoothLossesHaveOneSlope() {
        DoubleUnaryOperator loss = x -> 5 + 0.3 * x + Math.sin(x) * x;
        assertThat(verdict(0.3, loss)).isEqualTo(SlopeVerdict.AGREES);
        for (double wrong : new double[] {0.3001, 0.2999, 0, -0.3, 3e6}) {
            assertThat(verdict(wrong, loss)).as("%s", wrong).isEqualTo(SlopeVerdict.FAULT);
        }
        assertThat(verdict(0, x -> 5)).isEqualTo(SlopeVerdict.AGREES);
        assertThat(verdict(1e-5, x -> 5)).isEqualTo(SlopeVerdict.FAULT);
    }

    @Test
    void strongCurvatureNeedsSmallSteps() {
        DoubleUnaryOperator loss = x -> 1 + Math.sin(3e4 * x + 1) / 3e4;
        assertThat(verdict(Math.cos(1), loss)).isEqualTo(SlopeVerdict.AGREES);
        assertThat(verdict(Math.cos(1) + 0.01, loss)).isEqualTo(SlopeVerdict.FAULT);
    }

    @Test
    void aBendAtThePointHasTwoSlopes() {
        DoubleUnaryOperator loss = x -> 2 + (x > 0 ? 0.7 * x : 0.1 * x) + x * x;
        for (double between : new double[] {0.1, 0.25, 0.7}) {
            assertThat(verdict(between, loss)).as("%s", between).isEqualTo(SlopeVerdict.KINK);
        }
        for (double outside : new double[] {0.09, 0.71, -3}) {
            assertThat(verdict(outside, loss)).as("%s", outside).isEqualTo(SlopeVerdict.FAULT);
        }
        SlopeJudgement judgement = JudgeSlope.run(0.7, loss);
        assertThat(judgement.left()).isBetween(0.09999, 0.10001);
        assertThat(judgement.right()).isBetween(0.69999, 0.70001);
    }

    @Test
    void aBendBesideThePointIsLeftBehind() {
        for (double at : new double[] {7e-6, 2e-7, -4e-8}) {
            DoubleUnaryOperator loss = x -> 1 + 0.2 * x + 0.5 * Math.max(0, x - at);
            double slope = at < 0 ? 0.7 : 0.2;
            assertThat(verdict(slope, loss)).as("%s", at).isEqualTo(SlopeVerdict.AGREES);
            assertThat(verdict(slope + 0.01, loss)).as("%s", at).isEqualTo(SlopeVerdict.FAULT);
        }
    }

    @Test
    void roundingIsNoFault() {
        DoubleUnaryOperator loss = x -> Math.rint((3 + 0.2 * x + 1e-17 * Math.sin(1e20 * x)) * 1e10) / 1e10;
        DoubleUnaryOperator rough = x -> 3 + 0.2 * x + 1e-10 * Math.sin(1e17 * x + x);
        assertThat(verdict(0.2, rough)).isNotEqualTo(SlopeVerdict.FAULT);
        assertThat(verdict(0.2, loss)).isNotEqualTo(SlopeVerdict.FAULT);
        assertThat(verdict(0.5, rough)).isEqualTo(SlopeVerdict.FAULT);
    }

    @Test
    void aLossThatIsNoNumberDecidesNothing() {
        assertThat(verdict(1, Math::sqrt)).isEqualTo(SlopeVerdict.UNDECIDED);
        assertThat(verdict(Double.NaN, Math::sqrt)).isEqualTo(SlopeVerdict.UNDECIDED);
        assertThat(verdict(Double.NaN, x -> x)).isEqualTo(SlopeVerdict.FAULT);
        assertThat(verdict(1, x -> x)).isEqualTo(SlopeVerdict.AGREES);
    }
}
