package dev.remat.ir.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.junit.jupiter.api.Test;

/** Against the examples of FIPS 180-4. */
class Sha256Test {
    private static String hex(String text) {
        MessageDigest digest = Sha256.digest();
        digest.update(text.getBytes(StandardCharsets.US_ASCII));
        return Sha256.hex(digest);
    }

    @Test
    void isTheStandardsOwn() {
        assertThat(hex("abc")).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(hex("")).isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    @Test
    void startsAfreshEveryTime() {
        assertThat(hex("abc")).isEqualTo(hex("abc")).isNotEqualTo(hex("abd"));
    }
}
