package dev.remat.codegen.cuda.nvrtc;

import dev.remat.ir.io.Sha256;
import dev.remat.ir.natives.DamagedFileException;
import dev.remat.ir.natives.KeptFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;

/**
 * Compilations on disk, found by the SHA-256 of everything that they follow from. One that is damaged counts as
 * missing. Once they outgrow their limit, the ones written first go.
 */
final class CompilationCache {
    /** The longest that files may be all together. */
    static final long MOST_BYTES = 256L << 20;

    private final KeptFiles files;

    private CompilationCache(KeptFiles files) {
        this.files = files;
    }

    /**
     * @param folder made if it is missing
     * @throws IOException if it cannot be made, or others may write to it
     */
    static CompilationCache open(Path folder, long mostBytes) throws IOException {
        return new CompilationCache(KeptFiles.open(folder, "cubin", mostBytes));
    }

    /** Names a compilation after what it follows from. */
    static String key(String compiler, List<String> options, String text) {
        MessageDigest digest = Sha256.digest();
        for (String part : List.of(compiler, String.join("\n", options), text)) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes.length));
            digest.update(bytes);
        }
        return Sha256.hex(digest);
    }

    /** @throws IOException if there is a file and it cannot be read */
    Optional<Compilation> find(String key) throws IOException {
        try {
            return files.find(key).map(CompilationCache::decode);
        } catch (DamagedFileException e) {
            return Optional.empty();
        }
    }

    void keep(String key, Compilation compilation) throws IOException {
        files.keep(key, encode(compilation));
    }

    private static byte[] encode(Compilation compilation) {
        byte[] log = compilation.log().getBytes(StandardCharsets.UTF_8);
        ByteBuffer content = ByteBuffer.allocate(Integer.BYTES + log.length + compilation.cubin().length);
        return content.putInt(log.length).put(log).put(compilation.cubin()).array();
    }

    private static Compilation decode(byte[] kept) {
        ByteBuffer content = ByteBuffer.wrap(kept);
        byte[] log = new byte[content.getInt()];
        content.get(log);
        byte[] cubin = new byte[content.remaining()];
        content.get(cubin);
        return new Compilation(cubin, new String(log, StandardCharsets.UTF_8), "");
    }
}
