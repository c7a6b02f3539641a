package dev.remat.runtime.io;

import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.ReadableFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A file whose bytes are tokens. A sample is a window of T + 1 bytes: the input {@code tokens} gets the first T of
 * them, {@code targets} the last T, both integers of shape [B, T]. Windows follow each other T apart; what fills none
 * at the end of a share is left out. The last tenth of the file is held back.
 */
public final class TextDataset implements Dataset {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

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
        long heldBackFrom = text.byteSize() - text.byteSize() / Samples.HELD_BACK_SHARE;
        return switch (share) {
            case TRAINING -> windows(inputs, 0, heldBackFrom, "training");
            case HELD_BACK -> windows(inputs, heldBackFrom, text.byteSize(), "evaluation");
            case ALL -> windows(inputs, 0, text.byteSize(), "evaluation");
        };
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

    private Windows windows(List<InputSpec> inputs, long from, long to, String purpose) {
        for (InputSpec input : inputs) {
            boolean known = input.name().equals("tokens") || input.name().equals("targets");
            if (!known
                    || !input.dtype().isInteger()
                    || input.shape().size() != 2
                    || !input.shape().equals(inputs.getFirst().shape())) {
                throw new DataException("text feeds inputs tokens and targets, integers of one shape [B, T]; the model"
                        + " asks for " + input);
            }
        }
        long length = inputs.isEmpty() ? 1 : inputs.getFirst().shape().get(1);
        if (to - from < length + 1) {
            throw new DataException(file + " has " + Count.bytes(to - from) + " for " + purpose
                    + ", but a window takes " + (length + 1) + "; give a longer text or a smaller T");
        }
        return new Windows(new MappedSize(file, text.byteSize()), text.asSlice(from, to - from), length);
    }

    private record Windows(MappedSize mapped, MemorySegment text, long length) implements Samples {
        @Override
        public long count() {
            return (text.byteSize() - 1) / length;
        }

        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            mapped.check();
            long start = sample * length + (input.name().equals("targets") ? 1 : 0);
            for (long i = 0; i < length; i++) {
                int token = Byte.toUnsignedInt(text.get(ValueLayout.JAVA_BYTE, start + i));
                if (input.dtype() == DType.I32) {
                    target.set(INT, offset + i * Integer.BYTES, token);
                } else {
                    target.set(LONG, offset + i * Long.BYTES, token);
                }
            }
        }
    }
}
