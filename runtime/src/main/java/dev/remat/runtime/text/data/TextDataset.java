package dev.remat.runtime.text.data;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.ReadableFile;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.Fingerprint;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.MappedSize;
import dev.remat.runtime.io.Samples;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A file whose bytes are tokens, in {@linkplain TokenWindows windows}. It is mapped, and read when it is asked for. */
public final class TextDataset implements Dataset {
    private final Path file;
    private final Arena arena;
    private final MemorySegment text;

    private TextDataset(Path file, Arena arena, MemorySegment text) {
        this.file = file;
        this.arena = arena;
        this.text = text;
    }

    public static TextDataset open(Path file) throws IOException {
        ReadableFile.check(file);
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new TextDataset(file, arena, channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        return TokenWindows.of(new Bytes(text, new MappedSize(file, text.byteSize())), inputs, share, file.toString());
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        return List.of();
    }

    @Override
    public SortedMap<String, String> identity() {
        return new TreeMap<>(Map.of(
                "kind", "text",
                "bytes", String.valueOf(text.byteSize()),
                "fingerprint", new Fingerprint().add(text).text()));
    }

    @Override
    public void close() {
        arena.close();
    }

    private record Bytes(MemorySegment text, MappedSize mapped) implements TokenWindows.Tokens {
        @Override
        public long count() {
            return text.byteSize();
        }

        @Override
        public int at(long place) {
            return Byte.toUnsignedInt(text.get(ValueLayout.JAVA_BYTE, place));
        }

        @Override
        public String told(long count) {
            return Count.bytes(count);
        }

        @Override
        public void check() {
            mapped.check();
        }
    }
}
