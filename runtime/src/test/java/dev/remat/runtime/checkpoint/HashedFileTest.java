package dev.remat.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.io.TemporaryFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HashedFileTest {
    /** FIPS 180-2, appendix B.1, and of no bytes. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static final String NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    Path folder;

    private HashedFile of(String text, long blockBytes) throws IOException {
        return HashedFile.read(Files.writeString(folder.resolve("file"), text), blockBytes);
    }

    @Test
    void hashesEachBlock() throws IOException {
        assertThat(of("abcabcab", 3).blocks()).hasSize(3).startsWith(ABC, ABC).doesNotContain(NOTHING);
        assertThat(of("abcabc", 3).blocks()).containsExactly(ABC, ABC);
        assertThat(of("", 3).blocks()).containsExactly(NOTHING);
        assertThat(of("abc", HashedFile.UNCUT)).isEqualTo(new HashedFile(3, HashedFile.UNCUT, List.of(ABC)));
    }

    @Test
    void isKnownByOneHash() throws IOException {
        assertThat(of("abc", 3).sha256()).isEqualTo(ABC);
        Path both = Files.write(folder.resolve("both"), HexFormat.of().parseHex(ABC + ABC));
        assertThat(of("abcabc", 3).sha256())
                .isEqualTo(HashedFile.read(both, HashedFile.UNCUT).sha256())
                .isNotEqualTo(of("abcabc", HashedFile.UNCUT).sha256());
    }

    @Test
    void findsTheBlockThatDiffers() throws IOException {
        HashedFile saved = of("abcdefgh", 3);
        assertThat(saved.differing(of("abcdefgh", 3))).isEmpty();
        assertThat(saved.differing(of("abcdXfgX", 3))).hasValue(1);
    }

    @Test
    void hashesWhatItWritesAsWhatItReads() throws IOException {
        long bytes = HashedFile.BLOCK_BYTES + 5;
        try (TemporaryFile file = TemporaryFile.beside(folder.resolve("state"))) {
            HashedFile written = HashedFile.write(file, folder, channel -> {
                ByteBuffer piece = ByteBuffer.allocate(1 << 20);
                for (long left = bytes; left > 0; left -= piece.limit()) {
                    piece.clear().limit((int) Math.min(piece.capacity(), left)).put(0, (byte) left);
                    channel.write(piece);
                }
            });
            Path place = folder.resolve("state");
            file.move(place);
            assertThat(written).isEqualTo(HashedFile.read(place, HashedFile.BLOCK_BYTES));
            assertThat(written.blocks()).hasSize(2);
        }
    }

    @Test
    void refusesAnotherNumberOfBlocks() {
        assertThatThrownBy(() -> new HashedFile(4, 3, List.of(ABC))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HashedFile(3, 3, List.of("abc"))).hasMessage("not a SHA-256: abc");
    }
}
