package dev.remat.cli.trained;

import dev.remat.cli.console.Version;
import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxWeight;
import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.ir.io.AtomicFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The forward pass of a trained model as a file of ONNX.
 *
 * @param external the file that the weights are in, if they lie apart
 */
public record OnnxFile(Path file, Optional<Path> external) {
    /** A message of protocol buffers is never larger. */
    public static final long MOST_BYTES = Integer.MAX_VALUE;

    private static final long PIECE_BYTES = 1 << 20;

    /** Whether weights that lie apart can be found: in the same folder as the model or below. */
    public boolean findsExternal() {
        return external.stream()
                .allMatch(weights -> !absolute(weights).equals(absolute(file))
                        && absolute(weights).startsWith(absolute(file).getParent()));
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /**
     * The model.
     *
     * @param weights as they are written
     * @param names by which the model's tensors are found among them
     * @param metadata of the file of weights
     * @throws dev.remat.ir.diagnostic.ModelException naming everything that cannot be said in ONNX
     */
    public ProtoMessage model(
            OnnxExport export, List<StoredTensor> weights, NamesMap names, Map<String, String> metadata) {
        List<OnnxWeight> all;
        if (external.isPresent()) {
            Map<String, Long> offsets = SafetensorsWriter.offsets(metadata, weights);
            String location = location(external.get());
            all = weights.stream()
                    .map(tensor -> weight(tensor, new OnnxWeight.Outside(location, offsets.get(tensor.name()))))
                    .toList();
        } else {
            all = weights.stream()
                    .map(tensor -> weight(tensor, new OnnxWeight.Inside(sink -> give(tensor.data(), sink))))
                    .toList();
        }
        return export.run(all, names::use, Version.REMAT);
    }

    /** As seen from the model's folder. */
    private String location(Path weights) {
        return absolute(file)
                .getParent()
                .relativize(absolute(weights))
                .toString()
                .replace('\\', '/');
    }

    private static OnnxWeight weight(StoredTensor tensor, OnnxWeight.Source source) {
        return new OnnxWeight(tensor.name(), tensor.type().dtype().orElseThrow(), tensor.shape(), source);
    }

    private static void give(MemorySegment data, ProtoMessage.Sink sink) throws IOException {
        for (long at = 0; at < data.byteSize(); at += PIECE_BYTES) {
            sink.take(data.asSlice(at, Math.min(PIECE_BYTES, data.byteSize() - at))
                    .asByteBuffer());
        }
    }

    /** Writes weights that lie apart, then the model, each whole or not at all. */
    public void write(ProtoMessage model, List<StoredTensor> weights, Map<String, String> metadata) throws IOException {
        if (external.isPresent()) {
            SafetensorsWriter.write(external.get(), metadata, weights);
        }
        AtomicFile.write(
                file,
                channel -> model.writeTo(bytes -> {
                    ByteBuffer left = bytes;
                    while (left.hasRemaining()) {
                        channel.write(left);
                    }
                }));
    }
}
