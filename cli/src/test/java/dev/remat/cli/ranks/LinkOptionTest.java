package dev.remat.cli.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.target.Link;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkOptionTest {
    @ParameterizedTest
    @CsvSource({
        "1_250_000_000, 20_000, 0, 10Gbit:20us",
        "3_589_761_894, 67_947, 0, 28.7Gbit:67.9us",
        "125, 999, 0, 1Kbit:999ns",
        "1, 0, 0, 8bit:0ns",
        "124_999_999, 1_234_567, 812_000, 1Gbit:1230us:812us/MB",
        "9_000_000_000_000, 1_000, 1_001, 72Tbit:1us:1001ns/MB"
    })
    void isWrittenAsItIsRead(String rate, String latency, String interference, String text) {
        Link link = new Link(number(rate), number(latency), number(interference));
        assertThat(LinkOption.text(link)).isEqualTo(text);
        Link read = new LinkOption.Converter().convert(text);
        assertThat(LinkOption.text(read)).isEqualTo(text);
        assertThat((double) read.bytesPerSecond() / link.bytesPerSecond()).isBetween(0.995, 1.005);
        assertThat(read.interferenceNanosPerMegabyte()).isEqualTo(link.interferenceNanosPerMegabyte());
    }

    private static long number(String text) {
        return Long.parseLong(text.replace("_", ""));
    }
}
