package dev.remat.cli.onnx;

import dev.remat.compiler.onnx.read.OnnxFile;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.DType;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Weights of an imported model as a file of tensors holds them: those of the file where they lie, others in memory. */
final class StoreWeights {
    private StoreWeights() {}

    static List<StoredTensor> run(OnnxFile file, List<WrittenWeight> weights) {
        return weights.stream().map(weight -> stored(file, weight)).toList();
    }

    private static StoredTensor stored(OnnxFile file, WrittenWeight weight) {
        if (weight.values().isPresent()) {
            return values(weight, weight.values().get());
        }
        OnnxTensor origin = weight.origin().orElseThrow();
        StoredType type = StoredType.of(weight.dtype());
        MemorySegment bytes = file.bytes(origin);
        return switch (weight.layout()) {
            case WrittenWeight.Layout.Same() -> new StoredTensor(weight.name(), type, weight.shape(), bytes);
            case WrittenWeight.Layout.Transposed() ->
                new StoredTensor(weight.name(), type, origin.shape(), bytes).transposed();
            case WrittenWeight.Layout.Parts(List<WrittenWeight.Range> ranges) ->
                new StoredTensor(weight.name(), type, weight.shape(), joined(bytes, ranges, type.bytes()));
        };
    }

    private static MemorySegment joined(MemorySegment bytes, List<WrittenWeight.Range> ranges, int width) {
        long size = ranges.stream()
                .mapToLong(range -> (range.to() - range.from()) * width)
                .sum();
        MemorySegment joined =
                Arena.ofAuto().allocate(Math.max(size, 1), Long.BYTES).asSlice(0, size);
        long at = 0;
        for (WrittenWeight.Range range : ranges) {
            long length = (range.to() - range.from()) * width;
            joined.asSlice(at, length).copyFrom(bytes.asSlice(range.from() * width, length));
            at += length;
        }
        return joined;
    }

    private static StoredTensor values(WrittenWeight weight, Constant values) {
        DType dtype = weight.dtype();
        long bytes = values.size() * (long) dtype.bytes();
        MemorySegment data =
                Arena.ofAuto().allocate(Math.max(bytes, 1), Long.BYTES).asSlice(0, bytes);
        for (int i = 0; i < values.size(); i++) {
            ElementConversion.put(values.real(i), dtype, data, i * (long) dtype.bytes());
        }
        return new StoredTensor(weight.name(), StoredType.of(dtype), weight.shape(), data);
    }
}
