package dev.remat.runtime.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuTest {
    private static final List<String> BUILT = List.of("sm_80", "sm_86", "sm_90a", "sm_100a");

    /** Within a generation code runs on later cards; what ends in a letter runs on its own capability alone. */
    @ParameterizedTest
    @CsvSource({
        "80, sm_80",
        "86, sm_86",
        "87, sm_86",
        "89, sm_86",
        "90, sm_90a",
        "100, sm_100a",
        "75, ",
        "91, ",
        "103, ",
        "120, "
    })
    void takesTheCodeThatIsNearest(int capability, String best) {
        assertThat(new Gpu(0, "card", capability, 0).best(BUILT).orElse(null)).isEqualTo(best);
    }
}
