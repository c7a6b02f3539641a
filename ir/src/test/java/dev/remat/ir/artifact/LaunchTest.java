package dev.remat.ir.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaunchTest {
    private static final LaunchChecks CHECKS =
            new LaunchChecks(List.of(SampleArtifact.ADD, SampleArtifact.GEMM), 2, 1024, 232_448);

    private static Launch add(int step, Extent3 grid, Extent3 block, int shared, Long... arguments) {
        return new Launch(step, 0, grid, block, shared, List.of(arguments));
    }

    private static void refuses(Launch launch, String problem) {
        assertThatThrownBy(() -> CHECKS.check(launch))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void soundLaunchesPass() {
        assertThatCode(() -> SampleArtifact.LAUNCHES.forEach(CHECKS::check)).doesNotThrowAnyException();
    }

    @Test
    void launchesThatNoDriverShouldSeeAreRefused() {
        Extent3 one = Extent3.of(1);
        refuses(add(2, one, one, 0, 0L, 0L, 0L, 0L), "step 2 of 2");
        refuses(add(0, Extent3.of(1, 65_536), one, 0, 0L, 0L, 0L, 0L), "grid of 1x65536");
        refuses(add(0, one, Extent3.of(257), 0, 0L, 0L, 0L, 0L), "blocks of 257");
        refuses(add(0, one, one, 232_449, 0L, 0L, 0L, 0L), "232449 bytes of shared memory");
        refuses(add(0, one, one, 0, 0L, 0L, 0L), "3 arguments for 4");
        refuses(add(0, one, one, 0, 1025L, 0L, 0L, 0L), "outside the arena of 1024");
        refuses(add(0, one, one, 0, -2L, 0L, 0L, 0L), "outside the arena");
        refuses(add(0, one, one, 0, 0L, 0L, 1L << 32, 0L), "no u32");
        refuses(add(0, one, one, 0, 0L, 0L, -1L, 0L), "no u32");
        refuses(new Launch(0, 2, one, one, 0, List.of()), "kernel 2 of 2");
    }

    @Test
    void theUseOfAKernelSpansItsLaunches() {
        List<Optional<LaunchUse>> uses = LaunchUse.of(3, SampleArtifact.LAUNCHES);
        assertThat(uses.get(0))
                .contains(new LaunchUse(2, Extent3.of(1), Extent3.of(4), Extent3.of(64), Extent3.of(256), 0));
        assertThat(uses.get(1))
                .contains(new LaunchUse(
                        1, Extent3.of(2, 3), Extent3.of(2, 3), Extent3.of(32, 4), Extent3.of(32, 4), 49152));
        assertThat(uses.get(2)).isEmpty();
    }

    @Test
    void extentsReadShort() {
        assertThat(Extent3.of(5)).hasToString("5");
        assertThat(Extent3.of(1, 6)).hasToString("1x6");
        assertThat(new Extent3(1, 1, 2)).hasToString("1x1x2");
        assertThat(new Extent3(65_536, 65_535, 65_535).count()).isEqualTo(281_466_386_841_600L);
        assertThatThrownBy(() -> Extent3.of(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "a-b", "a.b", "größe", "a b"})
    void symbolsAreIdentifiers(String symbol) {
        assertThatThrownBy(() -> new KernelEntry(symbol, "copy", List.of(), 32, true, ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void slotsHoldWhatTheKernelReceives() {
        assertThat(ParameterType.F32.holds(0xffff_ffffL)).isTrue();
        assertThat(ParameterType.I32.holds(-1)).isFalse();
        assertThat(ParameterType.I64.holds(-1)).isTrue();
        for (ParameterType type : ParameterType.values()) {
            assertThat(ParameterType.ofLabel(type.label())).isEqualTo(type);
        }
    }
}
