package dev.remat.compiler.onnx.read;

import dev.remat.ir.io.ReadableFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of ONNX and the files of its weights, mapped until it is closed; no weight is in the heap. */
public final class OnnxFile implements AutoCloseable {
    private final Arena arena;
    private final OnnxModel model;
    private final ExternalFiles externals;

    private OnnxFile(Arena arena, OnnxModel model, ExternalFiles externals) {
        this.arena = arena;
        this.model = model;
        this.externals = externals;
    }

    /**
     * Maps and reads a file.
     *
     * @param followLinks whether files of weights may be links to anywhere
     * @throws DamagedOnnxException if it is no model of ONNX
     * @throws IOException if it cannot be read
     */
    public static OnnxFile open(Path file, boolean followLinks) throws IOException {
        ReadableFile.check(file);
        if (Files.notExists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        Arena arena = Arena.ofShared();
        try {
            return new OnnxFile(arena, OnnxModel.read(map(file, arena)), new ExternalFiles(file, followLinks, arena));
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    static MemorySegment map(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }

    /** What the file says. */
    public OnnxModel model() {
        return model;
    }

    /**
     * Bytes of a tensor of the file, wherever they are.
     *
     * @throws DamagedOnnxException if they are in a file that may not be read, or not there
     */
    public MemorySegment bytes(OnnxTensor tensor) {
        return switch (tensor.data()) {
            case TensorData.Inside(MemorySegment bytes) -> bytes;
            case TensorData.Outside outside -> externals.bytes(tensor, outside);
        };
    }

    @Override
    public void close() {
        arena.close();
    }
}
