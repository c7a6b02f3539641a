package dev.remat.ir.execution;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One kernel of a plan: a body that runs as a whole between memory and memory, and where in the arena that memory is.
 *
 * @param name of the tensor it makes; clones carry their original's name and a mark
 * @param recomputed whether it is a recomputation
 * @param buffers where each of the body's buffers lies
 * @param results where the buffer of each of the body's writes lies
 * @param workspace scratch of the kernel; empty range where it needs none
 * @param freed ranges whose content is dead once the step has run
 */
public record KernelStep(
        String name,
        Role role,
        Location location,
        boolean recomputed,
        KernelBody body,
        List<Placement> buffers,
        List<Placement> results,
        ByteRange workspace,
        List<ByteRange> freed) {
    /**
     * Where a tensor lies.
     *
     * @param value its id, unique in the plan; a view carries its buffer's id
     * @param offset first byte in the arena
     */
    public record Placement(int value, long offset) {}

    public KernelStep {
        buffers = List.copyOf(buffers);
        results = List.copyOf(results);
        freed = List.copyOf(freed);
        if (buffers.size() != body.buffers().size()
                || results.size() != body.writes().size()) {
            throw new IllegalArgumentException("step " + name + " does not place each of its buffers and results");
        }
    }

    /** The body's read {@code index} in its place. */
    public MemoryRead read(int index) {
        KernelBody.Read read = body.reads().get(index);
        Placement place = buffers.get(read.buffer());
        long bytes = body.buffers().get(read.buffer());
        return new MemoryRead(place.value(), place.offset(), bytes, read.dtype(), read.view());
    }

    /** The body's reads in their places. */
    public List<MemoryRead> reads() {
        return IntStream.range(0, body.reads().size()).mapToObj(this::read).toList();
    }

    /** The body's writes in their places. */
    public List<MemoryWrite> writes() {
        List<MemoryWrite> writes = new ArrayList<>();
        for (int w = 0; w < results.size(); w++) {
            KernelBody.Write write = body.writes().get(w);
            Placement place = results.get(w);
            writes.add(new MemoryWrite(
                    place.value(),
                    write.name(),
                    place.offset(),
                    write.bytes(),
                    write.type(),
                    write.view(),
                    write.instruction(),
                    write.result()));
        }
        return writes;
    }
}
