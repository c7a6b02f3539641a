package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.CodegenOptions;
import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.KernelProgram;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.InputKind;
import dev.remat.ir.Role;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.List;

/** A plan of one step, written instruction by instruction; the step's number lies at offset 0. */
public final class StepFixture {
    private static final long ALIGNMENT = 256;

    private final List<MemoryRead> reads = new ArrayList<>();
    private final List<Instruction> body = new ArrayList<>();
    private final List<MemoryWrite> writes = new ArrayList<>();
    private ByteRange workspace = new ByteRange(0, 0);
    private long end = ALIGNMENT;

    private long reserve(long bytes) {
        long at = end;
        end += Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        return at;
    }

    /** A dense tensor in memory. */
    public Operand read(TensorType type) {
        return read(type.dtype(), StridedView.dense(type.shape()), type.bytes());
    }

    /** A view of a buffer of {@code bytes} bytes. */
    public Operand read(DType dtype, StridedView view, long bytes) {
        reads.add(new MemoryRead(reads.size(), reserve(bytes), bytes, dtype, view));
        return new Operand.FromMemory(reads.size() - 1);
    }

    /** An instruction; its first result may be an operand of others. */
    public Operand apply(Op op, TensorType type, Operand... operands) {
        return apply(op, List.of(type), operands);
    }

    /** An instruction with several results, of which the first is returned. */
    public Operand apply(Op op, List<TensorType> types, Operand... operands) {
        body.add(new Instruction(op, List.of(operands), types));
        return new Operand.FromInstruction(body.size() - 1, 0);
    }

    public void write(Operand operand) {
        Operand.FromInstruction result = (Operand.FromInstruction) operand;
        TensorType type = body.get(result.instruction()).types().get(result.result());
        int value = 100 + writes.size();
        writes.add(new MemoryWrite(value, "y", reserve(type.bytes()), type, result.instruction(), result.result()));
    }

    public void workspace(long bytes) {
        workspace = new ByteRange(reserve(bytes), bytes);
    }

    public KernelProgram program() {
        return program(Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    public KernelProgram program(Architecture architecture, CodegenOptions options) {
        Step step = new Step("y", Role.FORWARD, Location.NONE, false, body, reads, writes, workspace, List.of());
        ArenaTensor number = new ArenaTensor(
                1000, "step", TensorType.scalar(DType.I64), InputKind.STEP, Initializer.ZEROS, 0, Location.NONE);
        ExecutionPlan plan =
                new ExecutionPlan("test", "", architecture.label(), 7, end, List.of(number), List.of(step), List.of());
        return CudaCodegen.generate(plan, architecture, options);
    }
}
