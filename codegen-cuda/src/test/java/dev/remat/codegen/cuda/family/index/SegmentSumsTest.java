package dev.remat.codegen.cuda.family.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SegmentSumsTest {
    @Test
    void passesCoverThePlaceAfterAll() {
        assertThat(new SegmentSums(10, 1).passes()).isEqualTo(1);
        assertThat(new SegmentSums(10, 255).passes()).isEqualTo(1);
        assertThat(new SegmentSums(10, 256).passes()).isEqualTo(2);
        assertThat(new SegmentSums(65536, 50257).passes()).isEqualTo(2);
        assertThat(new SegmentSums(65536, 65536).passes()).isEqualTo(3);
        assertThat(new SegmentSums(65536, (1L << 31) - 2).passes()).isEqualTo(4);
    }

    @Test
    void blocksGrowUpToABound() {
        assertThat(new SegmentSums(1, 5).blocks()).isEqualTo(1);
        assertThat(new SegmentSums(2049, 5).blocks()).isEqualTo(3);
        assertThat(new SegmentSums(1_000_000_000, 5).blocks()).isEqualTo(128);
    }

    @Test
    void workspaceHoldsTwoListsTwiceCountsAndStarts() {
        assertThat(new SegmentSums(64, 63).workspaceBytes()).isEqualTo(4 * 256 + 128 * 256 * 4 + 256);
        assertThat(new SegmentSums(65, 64).workspaceBytes()).isEqualTo(4 * 512 + 128 * 256 * 4 + 512);
    }

    @Test
    void numbersBeyond31BitsAreRefused() {
        assertThat(SegmentSums.fits((1L << 31) - 1, (1L << 31) - 2)).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SegmentSums(1L << 31, 5))
                .withMessageContaining("2^31");
        assertThatIllegalArgumentException().isThrownBy(() -> new SegmentSums(5, (1L << 31) - 1));
    }
}
