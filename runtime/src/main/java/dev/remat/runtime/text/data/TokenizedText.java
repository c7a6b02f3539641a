package dev.remat.runtime.text.data;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.ReadableFile;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.Fingerprint;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import dev.remat.runtime.text.Tokenizer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A file of UTF-8 as one long row of tokens, in {@linkplain TokenWindows windows}. It is read as a whole, and its
 * tokens are kept.
 */
public final class TokenizedText implements Dataset {
    /** What an array of bytes holds, less some. */
    private static final long MAX_BYTES = 1L << 30;

    private final Path file;
    private final Arena arena = Arena.ofShared();
    private final Kept tokens;

    private TokenizedText(Path file, int[] tokens) {
        this.file = file;
        this.tokens = new Kept(arena.allocateFrom(ValueLayout.JAVA_INT, tokens));
    }

    /** @throws DataException if it is no UTF-8, too long, or has what the tokenizer has no token for */
    public static TokenizedText open(Path file, Tokenizer tokenizer) throws IOException {
        ReadableFile.check(file);
        if (Files.size(file) > MAX_BYTES) {
            throw new DataException(
                    file + " has " + Count.bytes(Files.size(file)) + ", and text for a tokenizer is read"
                            + " up to 1 GiB; divide it, or write its tokens to an array and take --data");
        }
        byte[] text = Files.readAllBytes(file);
        try {
            return new TokenizedText(file, tokenizer.encode(text));
        } catch (DataException e) {
            throw new DataException(file + ": " + e.getMessage());
        }
    }

    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        return TokenWindows.of(tokens, inputs, share, file.toString());
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        return List.of();
    }

    /** That of the tokens: another tokenizer makes other data of a text. */
    @Override
    public SortedMap<String, String> identity() {
        return new TreeMap<>(Map.of(
                "kind", "tokens",
                "tokens", String.valueOf(tokens.count()),
                "fingerprint", new Fingerprint().add(tokens.numbers()).text()));
    }

    @Override
    public void close() {
        arena.close();
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
