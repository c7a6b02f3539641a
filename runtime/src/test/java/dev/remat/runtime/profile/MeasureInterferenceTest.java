package dev.remat.runtime.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.profile.MeasureInterference.Window;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasureInterferenceTest {
    private static final Window ALONE = new Window(1_000, 10, 0);

    /** Eight runs would take 800 alone, and took 1,000 while 2 MB were moved. */
    @Test
    void whatIsMovedIsChargedForWhatRunsLost() {
        Window beside = new Window(600, 5, 1_500_000).and(new Window(400, 3, 500_000));
        assertThat(beside.lostPerMegabyte(ALONE)).isEqualTo(100);
    }

    @Test
    void nothingIsLostWhereRunsAreNoSlowerOrNothingIsMoved() {
        assertThat(new Window(1_000, 10, 1_000_000).lostPerMegabyte(ALONE)).isZero();
        assertThat(new Window(1_000, 11, 1_000_000).lostPerMegabyte(ALONE)).isZero();
        assertThat(new Window(1_000, 5, 0).lostPerMegabyte(ALONE)).isZero();
    }

    @Test
    void aLaneThatFailsIsTold() {
        MeasureInterference.Transfer torn = () -> {
            throw new IOException("torn away");
        };
        assertThatThrownBy(() -> MeasureInterference.run(List.of(torn)))
                .isInstanceOf(IOException.class)
                .hasMessage("torn away");
    }
}
