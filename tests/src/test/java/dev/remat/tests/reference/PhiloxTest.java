package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Known answers are those that come with the authors' library, Random123. */
class PhiloxTest {
    private static final long ONES = 0xFFFFFFFFL;

    @Test
    void knownAnswers() {
        assertThat(Philox.words(new long[] {0, 0, 0, 0}, 0, 0))
                .containsExactly(0x6627E8D5L, 0xE169C58DL, 0xBC57AC4CL, 0x9B00DBD8L);
        assertThat(Philox.words(new long[] {ONES, ONES, ONES, ONES}, ONES, ONES))
                .containsExactly(0x408F276DL, 0x41C83B0EL, 0xA20BC7C6L, 0x6D5451FDL);
        assertThat(Philox.words(
                        new long[] {0x243F6A88L, 0x85A308D3L, 0x13198A2EL, 0x03707344L}, 0xA4093822L, 0x299F31D0L))
                .containsExactly(0xD16CFE09L, 0x94FDCCEBL, 0x5001E420L, 0x24126EA1L);
    }

    @Test
    void elementsTakeTheWordsOfTheirBlock() {
        assertThat(Philox.uniform(0, 0, 0, 0)).isEqualTo((0x6627E8D5L >>> 8) / 16777216.0);
        assertThat(Philox.uniform(0, 3, 0, 0)).isEqualTo((0x9B00DBD8L >>> 8) / 16777216.0);
        assertThat(Philox.uniform(0, 4, 0, 0)).isNotEqualTo(Philox.uniform(0, 0, 0, 0));
        long[] counter = {0, 1, 7, 9};
        long word = Philox.words(counter, 0xA4093822L, 0x299F31D0L)[2];
        assertThat(Philox.uniform(0x299F31D0_A4093822L, (4L << 32) + 2, 7, 9)).isEqualTo((word >>> 8) / 16777216.0);
    }
}
