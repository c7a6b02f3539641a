package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Input;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Instruction;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Reading;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Registers;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RandomBitsTest {
    /** Known answers published with the Random123 library for philox4x32_10. */
    @Test
    void reproducesPublishedVectors() {
        int[] words = new int[4];
        new RandomBits(0, 0).block(0, 0, words);
        assertThat(words).containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
        new RandomBits(-1, -1).block(-1, -1, words);
        assertThat(words).containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
        new RandomBits(0x299f31d0a4093822L, 0x03707344).block(0x85a308d3243f6a88L, 0x13198a2e, words);
        assertThat(words).containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
    }

    /** Runs of blocks are computed side by side, in groups, of which the last is seldom full. */
    @Test
    void runsOfBlocksAreTheirBlocks() {
        RandomBits bits = new RandomBits(0x299f31d0a4093822L, 7);
        Registers registers = new Registers();
        int[] block = new int[4];
        for (int count : new int[] {1, 3, 127, 128, 129, 258}) {
            long first = 0xFFFFFFFFL - count / 2;
            bits.blocks(first, count, 5, registers.words, registers.counters);
            for (int i = 0; i < count; i++) {
                bits.block(first + i, 5, block);
                assertThat(Arrays.copyOfRange(registers.words, 4 * i, 4 * i + 4))
                        .as("block %d of %d", i, count)
                        .containsExactly(block);
            }
        }
    }

    @Test
    void dropoutKeepsTheRightShareAndScalesIt() {
        try (TestArena arena = new TestArena(1 << 20);
                WorkerPool pool = new WorkerPool(2)) {
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            int x = builder.input(DType.F32);
            int index = builder.input(new Input(DType.I64, Reading.INDEX, 0));
            EltwiseProgram program = builder.build(
                    builder.add(new Instruction(Primitive.DROPOUT, DType.F32, List.of(x, index), 0.25, 3)));
            int n = 40_001;
            double[] ones = new double[n];
            Arrays.fill(ones, 1);
            long from = arena.of(DType.F32, ones);
            long to = arena.reserve(4L * n);
            Eltwise kernel = Eltwise.dense(program, new int[] {n}, from, 0, to);
            kernel.run(pool, arena.memory, new RandomBits(9, 1));
            double[] first = arena.values(DType.F32, to, n);
            assertThat(Arrays.stream(first).distinct().toArray()).containsExactlyInAnyOrder(0, (float) (4 / 3.0));
            assertThat(Arrays.stream(first).filter(v -> v == 0).count() / (double) n)
                    .isCloseTo(0.25, within(0.01));
            kernel.run(pool, arena.memory, new RandomBits(9, 2));
            assertThat(arena.values(DType.F32, to, n)).isNotEqualTo(first);
            kernel.run(pool, arena.memory, new RandomBits(9, 1));
            assertThat(arena.values(DType.F32, to, n)).isEqualTo(first);
        }
    }
}
