package dev.remat.codegen.cuda.family.conv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConvPhaseTest {
    /** What meets on one axis: pixel, element of the filter, output. */
    private static String meeting(long pixel, long tap, long output) {
        return pixel + " " + tap + " " + output;
    }

    @ParameterizedTest
    @CsvSource({
        "9,3,1,1,1",
        "9,3,2,1,1",
        "16,7,2,3,1",
        "10,1,2,0,1",
        "11,3,3,2,2",
        "13,4,4,0,2",
        "13,4,2,5,2",
        "12,2,6,1,3"
    })
    void phasesMeetWhatTheConvolutionMeets(long extent, long filter, long stride, long padding, long dilation) {
        long outputs = (extent + 2 * padding - (filter - 1) * dilation - 1) / stride + 1;
        Set<String> expected = new TreeSet<>();
        for (long output = 0; output < outputs; output++) {
            for (long tap = 0; tap < filter; tap++) {
                long pixel = output * stride - padding + tap * dilation;
                if (pixel >= 0 && pixel < extent) {
                    expected.add(meeting(pixel, tap, output));
                }
            }
        }
        Set<String> met = new TreeSet<>();
        Set<Long> pixels = new TreeSet<>();
        for (ConvPhase phase : ConvPhase.of(extent, filter, stride, padding, dilation)) {
            for (long i = 0; i < phase.count(); i++) {
                long pixel = phase.first() + i * stride;
                assertThat(pixels.add(pixel)).isTrue();
                for (long t = 0; t < phase.taps(); t++) {
                    long output = i * phase.axis().stride()
                            + phase.axis().origin()
                            + t * phase.axis().step();
                    long tap = phase.firstTap() + t * phase.tapStep();
                    assertThat(tap).isLessThan(filter);
                    if (output >= 0 && output < outputs) {
                        assertThat(met.add(meeting(pixel, tap, output))).isTrue();
                    }
                }
            }
        }
        assertThat(met).isEqualTo(expected);
        assertThat(pixels).hasSize((int) extent);
    }

    @Test
    void withoutStrideThereIsOnePhaseWithTheWholeFilter() {
        List<ConvPhase> phases = ConvPhase.of(20, 3, 1, 1, 2);
        assertThat(phases).containsExactly(new ConvPhase(1, 0, 20, 0, 1, 3, new ConvGrid.Axis(3, 1, 1, -2)));
    }
}
