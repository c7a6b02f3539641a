package dev.remat.codegen.cuda.family.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CopyBoxTest {
    private static CopyBox.Axis axis(long extent, long source, long target) {
        return new CopyBox.Axis(extent, source, target);
    }

    private static CopyBox.Axis padded(long extent, long low, long inside, long source, long target) {
        return new CopyBox.Axis(extent, low, inside, source, target);
    }

    @Test
    void denseAxesBecomeOne() {
        CopyBox box = CopyBox.of(List.of(2L, 1L, 3L, 4L), List.of(12L, 7L, 4L, 1L), List.of(12L, 5L, 4L, 1L));
        assertThat(box.axes()).containsExactly(axis(24, 1, 1));
    }

    @Test
    void axesStayApartWhereOneSideSkips() {
        CopyBox box = CopyBox.of(List.of(2L, 3L, 4L), List.of(12L, 4L, 1L), List.of(20L, 4L, 1L));
        assertThat(box.axes()).containsExactly(axis(2, 12, 20), axis(12, 1, 1));
        assertThat(box.elements()).isEqualTo(24);
    }

    @Test
    void wordsDivideRunsStridesAndAddresses() {
        CopyBox box = new CopyBox(List.of(axis(5, 16, 24), axis(8, 1, 1)));
        assertThat(box.word(4, 256, 512)).isEqualTo(new Word(16));
        assertThat(box.word(4, 256, 520)).isEqualTo(new Word(8));
        assertThat(box.word(2, 256, 512)).isEqualTo(new Word(16));
        assertThat(new CopyBox(List.of(axis(5, 16, 24), axis(7, 1, 1))).word(2, 0, 0))
                .isEqualTo(new Word(2));
        assertThat(new CopyBox(List.of(axis(5, 16, 23), axis(8, 1, 1))).word(2, 0, 0))
                .isEqualTo(new Word(2));
        assertThat(new CopyBox(List.of(axis(5, 1, 8), axis(8, 5, 1))).word(4, 0, 0))
                .isEqualTo(new Word(4));
    }

    @Test
    void countsInWords() {
        CopyBox box = new CopyBox(List.of(axis(5, 16, 24), axis(8, 1, 1)));
        assertThat(box.inWordsOf(4).axes()).containsExactly(axis(5, 4, 6), axis(2, 1, 1));
        assertThat(box.inWordsOf(1)).isEqualTo(box);
    }

    @Test
    void offsetsBeyond31BitsAreWide() {
        assertThat(new CopyBox(List.of(axis(2, 1L << 30, 1), axis(2, 1, 2))).isNarrow())
                .isTrue();
        assertThat(new CopyBox(List.of(axis(2, 1L << 31, 1), axis(2, 1, 2))).isNarrow())
                .isFalse();
        assertThat(new CopyBox(List.of(axis(1L << 31, 0, 1))).isNarrow()).isFalse();
    }

    @Test
    void anUnpaddedAxisJoinsThePaddedOneBefore() {
        CopyBox box = CopyBox.of(List.of(axis(2, 120, 192), padded(8, 1, 5, 24, 24), axis(3, 8, 8), axis(8, 1, 1)));
        assertThat(box.axes()).containsExactly(axis(2, 120, 192), padded(8 * 24, 24, 5 * 24, 1, 1));
    }

    @Test
    void aPaddedAxisStaysApart() {
        CopyBox box = CopyBox.of(List.of(axis(2, 5, 6), padded(6, 1, 5, 1, 1)));
        assertThat(box.axes()).containsExactly(axis(2, 5, 6), padded(6, 1, 5, 1, 1));
    }

    @Test
    void anAxisWhoseRowsLieApartStaysApart() {
        CopyBox box = CopyBox.of(List.of(padded(8, 1, 5, 32, 8), axis(8, 1, 1)));
        assertThat(box.axes()).hasSize(2);
    }

    @Test
    void wordsDividePaddingToo() {
        assertThat(CopyBox.of(List.of(padded(32, 8, 16, 1, 1))).word(2, 0, 0)).isEqualTo(new Word(16));
        assertThat(CopyBox.of(List.of(padded(32, 4, 16, 1, 1))).word(2, 0, 0)).isEqualTo(new Word(8));
        assertThat(CopyBox.of(List.of(padded(33, 8, 16, 1, 1))).word(2, 0, 0)).isEqualTo(new Word(2));
        assertThat(CopyBox.of(List.of(padded(32, 8, 16, 2, 1))).word(2, 0, 0)).isEqualTo(new Word(2));
        assertThat(CopyBox.of(List.of(padded(32, 8, 16, 1, 1))).inWordsOf(8).axes())
                .containsExactly(padded(4, 1, 2, 1, 1));
    }
}
