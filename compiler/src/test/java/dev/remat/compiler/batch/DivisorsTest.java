package dev.remat.compiler.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DivisorsTest {
    @Test
    void areAllNumbersThatLeaveNoRest() {
        for (long rows = 1; rows <= 200; rows++) {
            long number = rows;
            assertThat(Divisors.of(rows))
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, rows)
                            .filter(divisor -> number % divisor == 0)
                            .boxed()
                            .toList());
        }
    }

    @Test
    void areFoundOfManyRowsToo() {
        assertThat(Divisors.of(1L << 40)).hasSize(41).endsWith(1L << 40);
    }
}
