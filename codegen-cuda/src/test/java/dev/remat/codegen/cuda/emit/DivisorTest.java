package dev.remat.codegen.cuda.emit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DivisorTest {
    /** What {@code quotient} in types.cuh computes, in 64 bits. */
    private static long quotient(long n, long magic) {
        long multiplier = magic & 0xFFFFFFFFL;
        long sum = (n * multiplier >>> 32) + n;
        assertThat(sum).as("fits 32 bits").isLessThan(1L << 32);
        return sum >>> (magic >>> 32);
    }

    @Test
    void dividesExactly() {
        Random random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            long divisor = 1 + (random.nextInt() >>> 1 + random.nextInt(31));
            long n = random.nextInt() >>> 1;
            assertThat(quotient(n, Divisor.magic(divisor)))
                    .as("%d / %d", n, divisor)
                    .isEqualTo(n / divisor);
        }
    }

    @Test
    void dividesAtTheEdges() {
        for (long divisor : new long[] {1, 2, 3, 7, 641, 65536, 65537, (1L << 31) - 1, 1L << 31}) {
            long magic = Divisor.magic(divisor);
            for (long multiple = 0; multiple < 1L << 31; multiple += Math.max(divisor, 1L << 24)) {
                long exact = multiple / divisor * divisor;
                for (long n : new long[] {exact, exact + divisor - 1, Math.max(exact - 1, 0)}) {
                    if (n < 1L << 31) {
                        assertThat(quotient(n, magic)).as("%d / %d", n, divisor).isEqualTo(n / divisor);
                    }
                }
            }
        }
    }

    @Test
    void refusesWhatHasNoMagic() {
        assertThatIllegalArgumentException().isThrownBy(() -> Divisor.magic(0));
        assertThatIllegalArgumentException().isThrownBy(() -> Divisor.magic((1L << 31) + 1));
    }
}
