package dev.remat.runtime.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstructionSetTest {
    @ParameterizedTest
    @CsvSource({
        "sse4_2 avx f16c, AVX",
        "sse4_2, SSE4",
        "sse4_2 avx avx2 bmi2 fma, AVX2",
        "sse4_2 avx avx2 bmi2, AVX",
        "avx avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl avx512_bf16, AVX512",
        "avx avx2 fma avx512f avx512cd avx512er, AVX2",
        "avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl, SSE4"
    })
    void isReadFromWhatLinuxTells(String flags, InstructionSet largest) {
        assertThat(InstructionSet.of("processor\t: 0\nflags\t\t: fpu " + flags + "\nbugs\t\t: none\n"))
                .isEqualTo(largest);
        assertThat(InstructionSet.of("Features\t: fp asimd\n")).isEqualTo(InstructionSet.SSE4);
        assertThat(InstructionSet.common(List.of(InstructionSet.AVX512, largest, InstructionSet.AVX512)))
                .isEqualTo(largest);
    }
}
