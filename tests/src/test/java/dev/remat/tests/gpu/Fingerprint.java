package dev.remat.tests.gpu;

import dev.remat.ir.io.Sha256;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tells whether tensors of any order have the bytes that others had. */
final class Fingerprint {
    private final SortedMap<String, MessageDigest> tensors = new TreeMap<>();

    /** The SHA-256 of a tensor alone. */
    static byte[] of(MemorySegment bytes) {
        MessageDigest digest = Sha256.digest();
        digest.update(bytes.asByteBuffer());
        return digest.digest();
    }

    /** Takes a tensor, or what follows of it. */
    void add(String name, MemorySegment bytes) {
        tensors.computeIfAbsent(name, _ -> Sha256.digest()).update(bytes.asByteBuffer());
    }

    /** Of all that was taken, which is forgotten. */
    byte[] end() {
        MessageDigest all = Sha256.digest();
        tensors.forEach((name, digest) -> {
            all.update((name + "\n").getBytes(StandardCharsets.UTF_8));
            all.update(digest.digest());
        });
        tensors.clear();
        return all.digest();
    }
}
