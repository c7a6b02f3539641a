package dev.remat.tests.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instructions by what the PTX manual says of them, and programs that are wrong. */
class PtxInterpreterTest {
    private static final int THREADS = 64;

    /** A kernel that computes %r1 to be stored by each thread; %r0 is the thread, %r2 a word of its own to read. */
    private static String kernel(String body) {
        return """
            .version 9.1
            .extern .shared .align 128 .b8 dynamic[];
            .visible .entry k(
            	.param .u64 k_param_0
            )
            .maxntid 64, 1, 1
            {
            	.reg .pred 	%%p<9>;
            	.reg .b16 	%%rs<9>;
            	.reg .f32 	%%f<9>;
            	.reg .f64 	%%fd<9>;
            	.reg .b32 	%%r<29>;
            	.reg .b64 	%%rd<9>;
            	.shared .align 4 .b8 words[256];
            	ld.param.u64 	%%rd0, [k_param_0];
            	cvta.to.global.u64 	%%rd1, %%rd0;
            	mov.u32 	%%r0, %%tid.x;
            	mul.wide.u32 	%%rd2, %%r0, 4;
            	add.s64 	%%rd3, %%rd1, %%rd2;
            	ld.global.u32 	%%r2, [%%rd3+256];
            	shl.b32 	%%r3, %%r0, 2;
            	mov.u32 	%%r4, words;
            	add.s32 	%%r5, %%r4, %%r3;
            %s
            	st.global.u32 	[%%rd3], %%r1;
            	ret;
            }
            """.formatted(body.indent(4));
    }

    /** What each thread stores, where it reads {@code input}. */
    private static int[] run(String body, IntUnaryOperator input) {
        PtxKernel kernel = PtxParser.parse(kernel(body)).get("k");
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment bytes = owner.allocate(8 * THREADS, 256);
            for (int i = 0; i < THREADS; i++) {
                bytes.setAtIndex(ValueLayout.JAVA_INT, THREADS + i, input.applyAsInt(i));
            }
            PtxMemory memory = PtxBlock.arena(bytes);
            Launch launch = new Launch(0, 0, Extent3.of(1), Extent3.of(THREADS), 0, List.of(0L));
            PtxBlock.run(kernel, launch, List.of(true), memory, 0);
            int[] stored = new int[THREADS];
            for (int i = 0; i < THREADS; i++) {
                stored[i] = (int) memory.load(4L * i, 4);
            }
            assertThat(memory.written()).hasSize(4 * THREADS);
            return stored;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "add.s32 %r1, %r2, -1;                                  | 0          | -1",
                "mul.hi.u32 %r1, %r2, %r2;                              | -1         | -2",
                "mad.lo.s32 %r1, %r2, 3, %r2;                           | 5          | 20",
                "shr.s32 %r1, %r2, 4;                                   | -256       | -16",
                "shr.u32 %r1, %r2, 4;                                   | -256       | 268435440",
                "shr.u32 %r1, %r2, 32;                                  | -1         | 0",
                "shl.b32 %r1, %r2, 33;                                  | 1          | 0",
                "div.u32 %r1, %r2, 2;                                   | -2         | 2147483647",
                "rem.u32 %r1, %r2, 7;                                   | 23         | 2",
                "bfi.b32 %r1, %r2, -1, 4, 8;                            | 0          | -4081",
                "popc.b32 %r1, %r2;                                     | 255        | 8",
                "not.b32 %r1, %r2;                                      | 0          | -1",
                "min.u32 %r1, %r2, 7;                                   | -1         | 7",
                "cvt.s64.s32 %rd4, %r2; shr.u64 %rd4, %rd4, 32; cvt.u32.u64 %r1, %rd4; | -5 | -1",
                "cvt.u64.u32 %rd4, %r2; shr.u64 %rd4, %rd4, 32; cvt.u32.u64 %r1, %rd4; | -5 | 0",
                "mov.b32 {%rs1, %rs2}, %r2; mov.b32 %r1, {%rs2, %rs1};  | 65538      | 131073",
                "mov.b32 {%rs1, %rs2}, %r2; cvt.s32.s16 %r1, %rs1;      | 65535      | -1",
                "mov.b32 {%rs1, %rs2}, %r2; cvt.u32.u16 %r1, %rs1;      | 131071     | 65535",
                "setp.lt.u32 %p1, %r2, 7; selp.b32 %r1, 5, 6, %p1;      | -1         | 6",
                "setp.lt.s32 %p1, %r2, 7; selp.b32 %r1, 5, 6, %p1;      | -1         | 5",
                "mov.b32 %f1, %r2; setp.leu.f32 %p1, %f1, 0f00000000; selp.b32 %r1, 5, 6, %p1; | 2147483647 | 5",
                "mov.b32 %f1, %r2; setp.le.f32 %p1, %f1, 0f00000000; selp.b32 %r1, 5, 6, %p1;  | 2147483647 | 6",
                // 1 + 2^-24 is a tie, which rounds to even; a fused product keeps what a product loses.
                "mov.b32 %f1, %r2; add.rn.f32 %f2, %f1, 0f33800000; mov.b32 %r1, %f2; | 1065353216 | 1065353216",
                "mov.b32 %f1, %r2; fma.rn.f32 %f2, %f1, %f1, 0fBF800002; mov.b32 %r1, %f2; | 1065353217 | 679477248",
                "mov.b32 %f1, %r2; mul.rn.f32 %f2, %f1, %f1; sub.rn.f32 %f2, %f2, 0f3F800002; mov.b32 %r1, %f2;"
                        + " | 1065353217 | 0",
                "mov.b32 %f1, %r2; max.f32 %f2, %f1, 0f3F800000; mov.b32 %r1, %f2;  | 2147483647 | 1065353216",
                "mov.b32 %f1, %r2; max.NaN.f32 %f2, %f1, 0f3F800000; mov.b32 %r1, %f2; | -1 | 2147483647",
                "mov.b32 %f1, %r2; min.NaN.f32 %f2, %f1, 0f00000000; mov.b32 %r1, %f2;"
                        + " | -2147483648 | -2147483648",
                "mov.b32 %f1, %r2; rcp.rn.f32 %f2, %f1; mov.b32 %r1, %f2;           | 1073741824 | 1056964608",
                "mov.b32 %f1, %r2; sqrt.rn.f32 %f2, %f1; mov.b32 %r1, %f2;          | 1082130432 | 1073741824",
                "mov.b32 %f1, %r2; ex2.approx.ftz.f32 %f2, %f1; mov.b32 %r1, %f2;   | 1077936128 | 1090519040",
                "mov.b32 %f1, %r2; ex2.approx.ftz.f32 %f2, %f1; mov.b32 %r1, %f2;   | -1023541248 | 0",
                "cvt.rn.f32.s32 %f1, %r2; mov.b32 %r1, %f1;                         | -16777217  | -880803840",
                "mov.b32 %f1, %r2; cvt.f64.f32 %fd1, %f1; cvt.rn.f32.f64 %f2, %fd1; mov.b32 %r1, %f2;"
                        + " | 1065353217 | 1065353217",
                // Halfway between two numbers of bf16 to the even one; two at once with the first in the upper half.
                "mov.b32 %f1, %r2; cvt.rn.bf16.f32 %rs1, %f1; cvt.u32.u16 %r1, %rs1; | 1065385984 | 16256",
                "mov.b32 %f1, %r2; cvt.rn.bf16x2.f32 %r1, %f1, 0f00000000;           | 1065353216 | 1065353216",
                "mov.b32 %f1, %r2; cvt.rn.f16.f32 %rs1, %f1; cvt.u32.u16 %r1, %rs1;  | 1065353216 | 15360",
                "mov.b32 %f1, %r2; cvt.rna.tf32.f32 %r1, %f1;                        | 1065357312 | 1065361408"
            })
    void numbers(String body, int input, int expected) {
        assertThat(run(body.replace("; ", ";\n"), i -> input)).containsOnly(expected);
    }

    @Test
    void bracesHaveRegistersOfTheirOwn() {
        String body = """
            mov.u32 %r1, 3;
            {
            .reg .pred %there<1>;
            setp.ne.b32 %there0, %r2, 0;
            @%there0 mov.u32 %r1, 5;
            }
            {
            .reg .pred %there<1>;
            setp.eq.b32 %there0, %r2, 2;
            @%there0 mov.u32 %r1, 7;
            }\
            """;
        assertThat(run(body, i -> i % 3)).startsWith(3, 5, 7);
    }

    @Test
    void lanesThatPartMeetAgain() {
        String body = """
            setp.lt.u32 %p1, %r0, %r2;
            @%p1 bra $less;
            mov.u32 %r1, 7;
            bra.uni $after;
            $less:
            mov.u32 %r1, 5;
            $after:
            vote.sync.ballot.b32 %r6, %p1, -1;
            add.s32 %r1, %r1, %r6;
            """;
        int[] stored = run(body, i -> 40);
        assertThat(stored[0]).isEqualTo(5 - 1);
        assertThat(stored[32]).isEqualTo(5 + 255);
        assertThat(stored[63]).isEqualTo(7 + 255);
    }

    @Test
    void aLoopEndsForEachLaneAlone() {
        String body = """
            mov.u32 %r1, 0;
            $again:
            add.s32 %r1, %r1, 3;
            setp.lt.u32 %p1, %r1, %r2;
            @%p1 bra $again;
            """;
        assertThat(run(body, i -> i))
                .isEqualTo(IntStream.range(0, THREADS)
                        .map(i -> Math.max(3, Math.ceilDiv(i, 3) * 3))
                        .toArray());
    }

    @Test
    void shufflesReadOtherLanes() {
        assertThat(run("shfl.sync.bfly.b32 %r1|%p1, %r2, 3, 31, -1;", i -> i)[4])
                .isEqualTo(7);
        int[] up = run("shfl.sync.up.b32 %r1|%p1, %r2, 2, 0, -1;\n@!%p1 mov.u32 %r1, 99;", i -> i);
        assertThat(up[33]).isEqualTo(99);
        assertThat(up[34]).isEqualTo(32);
    }

    @Test
    void aBarrierLetsThreadsReadOneAnother() {
        String body = """
            st.shared.u32 [%r5], %r2;
            bar.sync 0;
            sub.s32 %r6, 252, %r3;
            add.s32 %r6, %r6, %r4;
            ld.shared.u32 %r1, [%r6];
            """;
        assertThat(run(body, i -> i)[10]).isEqualTo(53);
        assertThat(run(body.replace("bar.sync 0;", ""), i -> i)[10]).isEqualTo(-1);
    }

    @Test
    void copiesArriveWhenTheyAreWaitedFor() {
        String body = """
            add.s64 %rd4, %rd3, 256;
            setp.lt.u32 %p1, %r0, 9;
            selp.b32 %r6, 4, 0, %p1;
            cp.async.ca.shared.global [%r5], [%rd4], 4, %r6;
            cp.async.commit_group;
            cp.async.wait_group 0;
            ld.shared.u32 %r1, [%r5];
            """;
        assertThat(run(body, i -> i + 1)[8]).isEqualTo(9);
        assertThat(run(body, i -> i + 1)[9]).isZero();
        assertThat(run(body.replace("wait_group 0", "wait_group 1"), i -> i + 1)[8])
                .isEqualTo(-1);
    }

    /** One product of matrices of small whole numbers, put together by hand as the manual lays fragments out. */
    @Test
    void fragmentsMakeUpMatrices() {
        Random random = new Random(3);
        int[][] a = new int[16][16];
        int[][] b = new int[16][8];
        for (int i = 0; i < 16; i++) {
            for (int k = 0; k < 16; k++) {
                a[i][k] = random.nextInt(-9, 10);
            }
            for (int n = 0; n < 8; n++) {
                b[i][n] = random.nextInt(-9, 10);
            }
        }
        long[][] left = new long[4][32];
        long[][] right = new long[2][32];
        long[][] sums = new long[4][32];
        for (int lane = 0; lane < 32; lane++) {
            int g = lane / 4;
            int t = 2 * (lane % 4);
            left[0][lane] = pair(a[g][t], a[g][t + 1]);
            left[1][lane] = pair(a[g + 8][t], a[g + 8][t + 1]);
            left[2][lane] = pair(a[g][t + 8], a[g][t + 9]);
            left[3][lane] = pair(a[g + 8][t + 8], a[g + 8][t + 9]);
            right[0][lane] = pair(b[t][g], b[t + 1][g]);
            right[1][lane] = pair(b[t + 8][g], b[t + 9][g]);
        }
        PtxMatrices.multiply16(left, right, sums, true);
        for (int row = 0; row < 16; row++) {
            for (int column = 0; column < 8; column++) {
                int sum = 0;
                for (int k = 0; k < 16; k++) {
                    sum += a[row][k] * b[k][column];
                }
                long bits = sums[row / 8 * 2 + column % 2][row % 8 * 4 + column / 2];
                assertThat(Float.intBitsToFloat((int) bits)).isEqualTo(sum);
            }
        }
    }

    /** Bytes by hand: eight rows of 128 bytes after the other, pieces permuted by the row, panels of 64 columns. */
    @Test
    void panelsHoldTermsWhereTheDescriptorSays() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[20_000]);
        bytes.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2048 + 1024 + 128 + 16 + 6, (short) 0x4040);
        bytes.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2048 + 8192 + 1024 + 128 + 16 + 12, (short) 0x4080);
        PtxMemory shared = PtxMemory.inPlace("shared memory", bytes, 0);
        long descriptor = 2048 >> 4 | 8192L >> 4 << 16 | 1024L >> 4 << 32 | 1L << 62;
        assertThat(new PtxPanels(shared, descriptor, false, true).term(9, 3)).isEqualTo(3);
        assertThat(new PtxPanels(shared, descriptor, false, true).term(9, 4)).isZero();
        assertThat(new PtxPanels(shared, descriptor, true, true).term(70, 9)).isEqualTo(4);
        assertThat(new PtxPanels(shared, descriptor, true, true).term(71, 9)).isZero();
        assertThatThrownBy(() -> new PtxPanels(shared, 0, true, true)).hasMessageContaining("another layout");
    }

    private static long pair(int low, int high) {
        return PtxConversions.toBf16(Float.floatToRawIntBits(low))
                | PtxConversions.toBf16(Float.floatToRawIntBits(high)) << 16;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "membar.gl;                                      | no type",
                "wgmma.fence.sync;                               | unknown instruction: wgmma.fence.sync",
                "brev.b32 %r1, %r2;                              | unknown instruction: brev.b32",
                "bar.red.popc.u32 %r1, 0, %p1;                   | unknown instruction: bar.red.popc.u32",
                "add.f32 %f1, %f1, %f2;                          | unknown instruction: add.f32",
                "fma.rn.ftz.f32 %f1, %f1, %f2, %f1;              | unknown instruction: fma.rn.ftz.f32",
                "ld.shared.u32 %r1, [%r5+256];                   | shared memory byte 256 of 256",
                "ld.shared.u32 %r1, [%r5+2];                     | is not aligned to 4",
                "ld.global.v4.u32 {%r6, %r7, %r8, %r1}, [%rd3];  | is not aligned to 16",
                "st.global.u32 [%rd3+512], %r2;                  | arena byte 512 of 512",
                "mov.u32 %r1, nowhere;                           | no array nowhere",
                "mov.u32 %r1, %clock;                            | no register %clock",
                "setp.lt.u32 %p1, %r0, 9; @%p1 bar.warp.sync -1; | lanes do not meet",
                "setp.lt.u32 %p1, %r0, 9; @%p1 bar.sync 0;       | not all threads",
                "setp.lt.u32 %p1, %r0, 9; @%p1 ret; shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1; | has ended"
            })
    void whatIsWrongIsRefused(String body, String message) {
        assertThatThrownBy(() -> run(body.replace("; ", ";\n"), i -> i))
                .isInstanceOf(PtxException.class)
                .hasMessageContaining(message);
    }
}
