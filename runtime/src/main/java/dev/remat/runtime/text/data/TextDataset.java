package dev.remat.runtime.text.data;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.ReadableFile;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.Fingerprint;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.MappedSize;
import dev.remat.runtime.io.Samples;
import dev.remat.runtime.text.Tokenizer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** A file of text as one long row of tokens, in {@linkplain TokenWindows windows}. */
public final class TextDataset implements Dataset {
    /** What an array of bytes holds, less some. */
    private static final long MAX_BYTES = 1L << 30;

    private final Path file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final TokenWindows.Tokens tokens;
    private final String kind;
    private final String unit;

    /** What fills the memory of a text. */
    private interface Filling {
        MemorySegment fill(Arena arena) throws IOException;
    }

    private TextDataset(
            Path file, String kind, String unit, Filling filling, Function<MemorySegment, TokenWindows.Tokens> tokens)
            throws IOException {
        this.file = file;
        this.kind = kind;
        this.unit = unit;
        try {
            this.memory = filling.fill(arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
        this.tokens = tokens.apply(memory);
    }

    /** Bytes are tokens. The file is mapped, and read when it is asked for. */
    public static TextDataset open(Path file) throws IOException {
        ReadableFile.check(file);
        return new TextDataset(
                file,
                "text",
                "bytes",
                arena -> {
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                        return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
                    }
                },
                text -> new Bytes(text, new MappedSize(file, text.byteSize())));
    }

    /**
     * A tokenizer makes tokens of UTF-8. The file is read as a whole, and its tokens are kept.
     *
     * @throws DataException if it is no UTF-8, too long, or has what the tokenizer has no token for
     */
    public static TextDataset open(Path file, Tokenizer tokenizer) throws IOException {
        ReadableFile.check(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new DataException(
                    file + " has " + Count.bytes(Files.size(file)) + ", and text for a tokenizer is read"
                            + " up to 1 GiB; divide it, or write its tokens to an array and take --data");
        }
        byte[] text = Files.readAllBytes(file);
        try {
            int[] tokens = tokenizer.encode(text);
            return new TextDataset(
                    file, "tokens", "tokens", arena -> arena.allocateFrom(ValueLayout.JAVA_INT, tokens), Kept::new);
        } catch (DataException e) {
            throw new DataException(file + ": " + e.getMessage());
        }
    }

    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        return TokenWindows.of(tokens, inputs, share, file.toString());
    }

    /** That of the tokens: another tokenizer makes other data of a text. */
    @Override
    public SortedMap<String, String> identity() {
        return new TreeMap<>(Map.of(
                "kind",
                kind,
                unit,
                String.valueOf(tokens.count()),
                "fingerprint",
                new Fingerprint().add(memory).text()));
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

    private record Kept(MemorySegment numbers) implements TokenWindows.Tokens {
        @Override
        public long count() {
            return numbers.byteSize() / Integer.BYTES;
        }

        @Override
        public int at(long place) {
            return numbers.getAtIndex(ValueLayout.JAVA_INT, place);
        }

        @Override
        public String told(long count) {
            return Count.of(count, "token");
        }
    }
}
