package dev.remat.ir.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CacheFolderTest {
    private static CacheFolder of(Map<String, String> environment) {
        return CacheFolder.of(environment, "/passwd/me");
    }

    private static CacheFolder found(String path) {
        return new CacheFolder(Optional.of(Path.of(path)), false);
    }

    @Test
    void asksTheSettingFirst() {
        Map<String, String> all = Map.of("REMAT_CACHE_DIR", "/own", "XDG_CACHE_HOME", "/xdg", "HOME", "/home/me");
        assertThat(of(all)).isEqualTo(new CacheFolder(Optional.of(Path.of("/own")), true));
    }

    @Test
    void thenTheFolderForCachesAndTheHome() {
        assertThat(of(Map.of("XDG_CACHE_HOME", "/xdg", "HOME", "/home/me"))).isEqualTo(found("/xdg/remat"));
        assertThat(of(Map.of("HOME", "/home/me"))).isEqualTo(found("/home/me/.cache/remat"));
    }

    @Test
    void ignoresWhatIsEmptyOrNotAbsolute() {
        assertThat(of(Map.of("REMAT_CACHE_DIR", "", "XDG_CACHE_HOME", "xdg", "HOME", "home")))
                .isEqualTo(found("/passwd/me/.cache/remat"));
    }

    @Test
    void doesWithoutAHome() {
        assertThat(CacheFolder.of(Map.of(), "?")).isEqualTo(new CacheFolder(Optional.empty(), false));
    }

    @Test
    void refusesASettingThatIsNotAbsolute() {
        assertThatThrownBy(() -> of(Map.of("REMAT_CACHE_DIR", "cache")))
                .isInstanceOf(LibraryUnavailableException.class)
                .hasMessageStartingWith("REMAT_CACHE_DIR is 'cache', which is no absolute path");
    }
}
