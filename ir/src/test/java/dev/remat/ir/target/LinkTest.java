package dev.remat.ir.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LinkTest {
    @Test
    void anExchangeTakesItsBytesAndAMessageToEachOther() {
        assertThat(new Link(500_000_000, 7).nanos(4, 1_000)).isEqualTo(3 * 7 + 2_000);
    }

    @Test
    void kernelsLoseToBytesBothWaysAndHalfOfThatToOne() {
        Link link = new Link(1, 0, 3_000);
        assertThat(link.lostToExchange(2_000_000)).isEqualTo(6_000);
        assertThat(link.lostToMessage(2_000_000)).isEqualTo(3_000);
        assertThat(link.lostToExchange(500)).isEqualTo(2);
        assertThat(link.lostToMessage(500)).isEqualTo(1);
        assertThat(new Link(1, 0).lostToExchange(Long.MAX_VALUE)).isZero();
        assertThat(new Link(1, 0, Long.MAX_VALUE).lostToMessage(Long.MAX_VALUE)).isEqualTo(1L << 50);
        assertThatThrownBy(() -> new Link(1, 0, -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
