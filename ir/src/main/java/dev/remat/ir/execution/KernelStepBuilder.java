package dev.remat.ir.execution;

import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts a step together that no graph is behind: reads, instructions and writes, each where the caller says. */
public final class KernelStepBuilder {
    private record Buffer(Placement place, long bytes) {}

    private final String name;
    private final Role role;
    private final Location location;
    private final List<Instruction> instructions = new ArrayList<>();
    private final Map<Buffer, Integer> buffers = new LinkedHashMap<>();
    private final List<KernelBody.Read> reads = new ArrayList<>();
    private final List<KernelBody.Write> writes = new ArrayList<>();
    private final List<Placement> results = new ArrayList<>();
    private boolean recomputed;
    private ByteRange workspace = ByteRange.EMPTY;
    private List<ByteRange> freed = List.of();

    public KernelStepBuilder(String name, Role role, Location location) {
        this.name = name;
        this.role = role;
        this.location = location;
    }

    /** One more entry of the step's reads, whether or not the same is read already. */
    public Operand.FromMemory read(MemoryRead read) {
        Buffer buffer = new Buffer(new Placement(read.value(), read.offset()), read.bytes());
        int number = buffers.computeIfAbsent(buffer, key -> buffers.size());
        reads.add(new KernelBody.Read(number, read.dtype(), read.view()));
        return new Operand.FromMemory(reads.size() - 1);
    }

    /** Its first result, which other instructions may take. */
    public Operand.FromInstruction add(Instruction instruction) {
        instructions.add(instruction);
        return new Operand.FromInstruction(instructions.size() - 1, 0);
    }

    /** An instruction that no model file mentions. */
    public Operand.FromInstruction add(Op op, List<TensorType> types, List<? extends Operand> operands) {
        return add(new Instruction(op, List.copyOf(operands), types));
    }

    public KernelStepBuilder write(MemoryWrite write) {
        writes.add(new KernelBody.Write(
                write.name(), write.type(), write.instruction(), write.result(), write.view(), write.bytes()));
        results.add(new Placement(write.value(), write.offset()));
        return this;
    }

    /** Stores the first result of an instruction that is there already. */
    public KernelStepBuilder write(int value, String tensor, long offset, Operand.FromInstruction from) {
        TensorType type = instructions.get(from.instruction()).types().get(from.result());
        return write(MemoryWrite.dense(value, tensor, offset, type, from.instruction(), from.result()));
    }

    public KernelStepBuilder recomputed(boolean repeats) {
        recomputed = repeats;
        return this;
    }

    public KernelStepBuilder workspace(ByteRange range) {
        workspace = range;
        return this;
    }

    public KernelStepBuilder freed(List<ByteRange> ranges) {
        freed = ranges;
        return this;
    }

    public KernelBody body() {
        List<Long> sizes = buffers.keySet().stream().map(Buffer::bytes).toList();
        return new KernelBody(instructions, sizes, reads, writes);
    }

    public KernelStep build() {
        List<Placement> places = buffers.keySet().stream().map(Buffer::place).toList();
        return new KernelStep(name, role, location, recomputed, body(), places, results, workspace, freed);
    }
}
