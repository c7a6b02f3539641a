package dev.remat.tests.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A symbol that is bound after elaboration gives the graph that it gives when it is bound before. */
class SampleSymbolTest {
    /** No other extent of any sample, which might make a slice the whole. */
    private static final long EXTENT = 5;

    @ParameterizedTest
    @FieldSource("dev.remat.tests.samples.SampleModels#ALL")
    void isBoundLaterAsBefore(SampleModel sample) {
        ElaboratedModel tiny = sample.tinyModel();
        assertThat(tiny.symbols()).isNotEmpty();
        for (String symbol : tiny.symbols()) {
            String others = settings(sample, symbol);
            ElaboratedModel open = sample.elaborate(others, Purpose.TRAIN);
            assertThat(open.open()).containsExactly(symbol);
            ElaboratedModel before =
                    sample.elaborate(others + (others.isEmpty() ? "" : ",") + symbol + "=" + EXTENT, Purpose.TRAIN);
            assertThat(open.forward()).isNotEqualTo(before.forward());
            // Binding numbers values anew, inputs first.
            assertThat(open.bind(symbol, EXTENT)).as(symbol).isEqualTo(before.bind(symbol, EXTENT));
        }
    }

    /** The tiny sizes without that symbol's. */
    private static String settings(SampleModel sample, String symbol) {
        return List.of(sample.tiny().split(",(?![^\\[]*\\])")).stream()
                .filter(setting -> !setting.startsWith(symbol + "="))
                .collect(Collectors.joining(","));
    }
}
