package dev.remat.codegen.cuda.family.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.remat.ir.DType;
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
        assertThat(new SegmentSums(64, 63).workspaceBytes(7, DType.F32)).isEqualTo(4 * 256 + 128 * 256 * 4 + 256);
        assertThat(new SegmentSums(65, 64).workspaceBytes(7, DType.F32)).isEqualTo(4 * 512 + 128 * 256 * 4 + 512);
    }

    @Test
    void piecesHaveRoomInF32() {
        long without = new SegmentSums(1000, 3).workspaceBytes(0, DType.BF16);
        assertThat(new SegmentSums(1000, 3).workspaceBytes(7, DType.BF16) - without)
                .as("15 pieces of 64 rows")
                .isEqualTo(15 * 7 * 4);
        assertThat(new SegmentSums(255, 3).workspaceBytes(7, DType.F32))
                .isEqualTo(new SegmentSums(255, 3).workspaceBytes(0, DType.F32));
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
