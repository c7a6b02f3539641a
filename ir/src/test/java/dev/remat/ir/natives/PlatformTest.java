package dev.remat.ir.natives;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {
    @ParameterizedTest
    @CsvSource({"Mac OS X,aarch64", "Linux,aarch64", "Windows 11,amd64", "Linux,x86"})
    void refusesWhatTheLibrariesAreNotFor(String system, String processor) {
        assertThatThrownBy(() -> Platform.check(system, processor))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageContaining("runs on Linux on x86-64 only, and this is " + system + " on " + processor);
    }

    @Test
    void takesLinuxOnX86() {
        assertThatCode(() -> Platform.check("Linux", "amd64")).doesNotThrowAnyException();
    }
}
