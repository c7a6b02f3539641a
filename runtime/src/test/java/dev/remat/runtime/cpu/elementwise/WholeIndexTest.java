package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.op.DrawnRows;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Registers;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WholeIndexTest {
    private static long[] counted(DrawnRows rows, int piece, long... index) {
        long[] out = new long[index.length];
        new WholeIndex(rows.block().value(), rows.pieces(), piece).count(index, out, index.length);
        return out;
    }

    @Test
    void countsInAnyOrder() {
        DrawnRows rows = new DrawnRows(Dim.of(3), 4);
        assertThat(counted(rows, 2, 0, 1, 2, 3, 4, 8, 3, 0)).containsExactly(6, 7, 8, 18, 19, 32, 18, 6);
        assertThat(counted(new DrawnRows(Dim.of(3), 1), 0, 0, 5, 2)).containsExactly(0, 5, 2);
    }

    /** A piece that is named is that one in every micro-batch, of the first rank. */
    @Test
    void takesTheMicroBatchWhereNoPieceIsNamed() {
        RandomBits bits = new RandomBits(42, 3, 2, 0);
        assertThat(WholeIndex.of(instruction(List.of()), bits)).isEqualTo(new WholeIndex(6, 4, 2));
        assertThat(WholeIndex.of(instruction(List.of(0.0)), bits)).isEqualTo(new WholeIndex(6, 4, 0));
        assertThat(WholeIndex.of(instruction(List.of(3.0)), bits)).isEqualTo(new WholeIndex(6, 4, 3));
        RandomBits second = new RandomBits(42, 3, 2, 1);
        assertThat(WholeIndex.of(instruction(List.of()), second)).isEqualTo(new WholeIndex(6, 4, 2));
        assertThat(WholeIndex.of(instruction(List.of(2.0)), second)).isEqualTo(new WholeIndex(6, 4, 3));
    }

    private static EltwiseProgram.Instruction instruction(List<Double> piece) {
        return new EltwiseProgram.Instruction(Primitive.WHOLE_INDEX, DType.I64, List.of(0), 6, 4, piece);
    }

    @Test
    void countsBeyondWords() {
        long far = 1L << 40;
        for (long block : new long[] {1, 4, 6, far + 3}) {
            DrawnRows rows = new DrawnRows(Dim.of(block), 8);
            long[] index =
                    LongStream.of(far - 1, far, far + 1, 7 * far + 2, far - 2).toArray();
            long[] expected = LongStream.of(index).map(i -> rows.whole(i, 5)).toArray();
            assertThat(counted(rows, 5, index)).containsExactly(expected);
        }
    }

    /** Neighbours of one run, of two, and others that begin and end as neighbours do. */
    @Test
    void countsNeighboursAsAnyOthers() {
        DrawnRows rows = new DrawnRows(Dim.of(8), 3);
        for (long[] index : new long[][] {{9, 10, 11, 12}, {5, 6, 7, 8, 9}, {9, 11, 10, 12}, {9, 30, 11, 12}, {7}}) {
            long[] expected = LongStream.of(index).map(i -> rows.whole(i, 2)).toArray();
            assertThat(counted(rows, 2, index)).containsExactly(expected);
        }
    }

    /** Element 2³⁴ + 1 draws by a counter whose high word is 1, unlike element 1. */
    @Test
    void wordsDependOnBothHalvesOfTheNumber() {
        RandomBits bits = new RandomBits(42, 3);
        int[] words = new int[4];
        bits.block(1L << 32, 1, words);
        float[] out = new float[2];
        new RandomDraws(bits, 1).uniform(DType.F32, new long[] {(1L << 34) + 1, 1}, out, 2);
        assertThat(out[0]).isEqualTo((words[1] >>> 8) * 0x1p-24f).isNotEqualTo(out[1]);
        float[] ones = {1, 1, 1, 1, 1};
        float[] kept = new float[5];
        long[] index = {1L << 34, (1L << 34) + 1, (1L << 34) + 2, (1L << 34) + 3, 0};
        new DropoutMask(bits, 1, 0.5).apply(ones, index, kept, 5, new Registers());
        for (int i = 0; i < 4; i++) {
            assertThat(kept[i]).isEqualTo(words[i] < 0 ? 2f : 0f);
        }
    }
}
