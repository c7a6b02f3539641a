package dev.remat.runtime.train;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/** The outputs of several batches as one tensor each. Holds them all in memory. */
public final class JoinedOutputs implements AutoCloseable {
    private record Part(long extent, MemorySegment data) {}

    private final Arena arena = Arena.ofShared();
    private final Map<String, Integer> axes;
    private final Set<String> leftOut;
    private final SequencedMap<String, TensorType> types = new LinkedHashMap<>();
    private final Map<String, List<Part>> parts = new LinkedHashMap<>();

    /**
     * @param axes by output the axis along which batches follow each other; the batches of others are stacked along a
     *     new first axis
     * @param leftOut outputs that cannot be joined
     */
    public JoinedOutputs(Map<String, Integer> axes, Collection<String> leftOut) {
        this.axes = axes;
        this.leftOut = Set.copyOf(leftOut);
    }

    /** Copies what a plan has just computed. */
    public void add(Executable executable) {
        for (PlanOutput output : executable.plan().outputs()) {
            if (leftOut.contains(output.name())) {
                continue;
            }
            Integer axis = axes.get(output.name());
            long extent = axis == null ? 1 : output.type().shape().toArray()[axis];
            MemorySegment copy = arena.allocate(output.type().bytes(), Long.BYTES);
            copy.copyFrom(executable.read(output.offset(), output.type().bytes()));
            types.putIfAbsent(output.name(), output.type());
            parts.computeIfAbsent(output.name(), name -> new ArrayList<>()).add(new Part(extent, copy));
        }
    }

    /** The joined outputs in the order of the plan; valid until this is closed. */
    public List<StoredTensor> tensors() {
        return types.keySet().stream().map(this::joined).toList();
    }

    private StoredTensor joined(String name) {
        TensorType type = types.get(name);
        List<Long> shape = new ArrayList<>(ArenaTensors.shape(type));
        int axis = axes.getOrDefault(name, 0);
        if (!axes.containsKey(name)) {
            shape.addFirst(1L);
        }
        List<Part> pieces = parts.get(name);
        shape.set(axis, pieces.stream().mapToLong(Part::extent).sum());
        long outer = shape.subList(0, axis).stream().reduce(1L, Math::multiplyExact);
        long inner = shape.subList(axis + 1, shape.size()).stream()
                .reduce((long) type.dtype().bytes(), Math::multiplyExact);
        MemorySegment whole = arena.allocate(outer * shape.get(axis) * inner, Long.BYTES);
        long at = 0;
        for (Part piece : pieces) {
            long bytes = piece.extent() * inner;
            for (long block = 0; block < outer; block++) {
                MemorySegment.copy(piece.data(), block * bytes, whole, block * shape.get(axis) * inner + at, bytes);
            }
            at += bytes;
        }
        return new StoredTensor(name, StoredType.of(type.dtype()), shape, whole);
    }

    @Override
    public void close() {
        arena.close();
    }
}
