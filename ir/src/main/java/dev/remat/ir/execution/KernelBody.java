package dev.remat.ir.execution;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ShapeException;
import dev.remat.ir.op.Update;
import java.util.List;

/**
 * What a kernel reads, computes and writes, wherever in memory that lies. It is made once, when operations become a
 * kernel: cost models price it, and a {@link KernelStep} is a body with places.
 *
 * @param instructions in order; a constant stands before the first that takes it
 * @param buffers bytes of each buffer that the kernel reads, in order of first use
 * @param reads tensors in those buffers, each once
 * @param writes results that the kernel leaves in memory; those of an update lie over what it updates
 */
public record KernelBody(List<Instruction> instructions, List<Long> buffers, List<Read> reads, List<Write> writes) {
    /** What back ends tell kernels apart by. */
    public enum Form {
        /** Every instruction is elementwise over one iteration shape. */
        ELEMENTWISE,
        /** Elementwise instructions, of which some may be stored, then one reduction of their result. */
        REDUCTION,
        /**
         * One other operation, perhaps followed by elementwise instructions on its first result. Where these are
         * grouped before planning, their one write has that result's type, so that a kernel may compute the operation
         * into its place and go on from there.
         */
        ANCHORED
    }

    /**
     * A tensor in a buffer.
     *
     * @param buffer number of the buffer
     * @param view how the tensor lies there, in elements
     */
    public record Read(int buffer, DType dtype, StridedView view) {
        public TensorType type() {
            return new TensorType(dtype, view.shape());
        }
    }

    /**
     * A result that is stored. Several may lie in one buffer, apart from each other and so that they fill it.
     *
     * @param name readable name of the buffer's tensor
     * @param instruction the instruction that computes it
     * @param result which of that instruction's results
     * @param view how the result lies in its buffer, in elements
     * @param bytes of the buffer
     */
    public record Write(String name, TensorType type, int instruction, int result, StridedView view, long bytes) {
        /** A result that is a buffer of its own, row-major. */
        public static Write dense(String name, TensorType type, int instruction, int result) {
            return new Write(name, type, instruction, result, StridedView.dense(type.shape()), type.bytes());
        }
    }

    public KernelBody {
        instructions = List.copyOf(instructions);
        buffers = List.copyOf(buffers);
        reads = List.copyOf(reads);
        writes = List.copyOf(writes);
        for (Read read : reads) {
            if (read.buffer() < 0 || read.buffer() >= buffers.size()) {
                throw new IllegalArgumentException("reads buffer " + read.buffer() + " of " + buffers.size());
            }
        }
    }

    /** Index of the instruction that the kernel is there for: the one that is not elementwise, the first if all are. */
    public int anchor() {
        for (int i = instructions.size() - 1; i >= 0; i--) {
            if (!(instructions.get(i).op() instanceof Elementwise)) {
                return i;
            }
        }
        return 0;
    }

    public Form form() {
        if (instructions.isEmpty()) {
            return Form.ELEMENTWISE;
        }
        Op op = instructions.get(anchor()).op();
        if (op instanceof Elementwise) {
            return Form.ELEMENTWISE;
        }
        return op instanceof Reduce ? Form.REDUCTION : Form.ANCHORED;
    }

    /** Type of what one of the instructions reads. */
    public TensorType type(Operand operand) {
        return switch (operand) {
            case Operand.FromMemory(int index) -> reads.get(index).type();
            case Operand.FromInstruction(int instruction, int result) ->
                instructions.get(instruction).types().get(result);
            case Operand.FromSeed _ -> TensorType.SEED;
        };
    }

    /** Types of all that {@code instruction} reads. */
    public List<TensorType> operandTypes(Instruction instruction) {
        return instruction.operands().stream().map(this::type).toList();
    }

    /**
     * Holds a body that comes from a file to what is true of every body that was made here: instructions take what
     * there is, and all types are those that the operations infer.
     *
     * @throws IllegalArgumentException if that is not so
     */
    public void verify() {
        for (int i = 0; i < instructions.size(); i++) {
            Instruction instruction = instructions.get(i);
            for (Operand operand : instruction.operands()) {
                require(isBefore(i, operand), i, operand + " is not there");
            }
            List<TensorType> made = inferred(i, instruction);
            require(made.equals(instruction.types()), i, "gives " + made + ", not " + instruction.types());
        }
        for (Write write : writes) {
            Operand.FromInstruction written = new Operand.FromInstruction(write.instruction(), write.result());
            require(
                    isBefore(instructions.size(), written) && type(written).equals(write.type()),
                    write.instruction(),
                    "does not give " + write.name() + " of type " + write.type());
            require(
                    write.view().shape().equals(write.type().shape()),
                    write.instruction(),
                    "is laid out as " + write.view().extents() + ", not " + write.type());
        }
    }

    private boolean isBefore(int end, Operand operand) {
        return switch (operand) {
            case Operand.FromMemory(int index) -> isIndex(index, reads.size());
            case Operand.FromInstruction(int instruction, int result) ->
                isIndex(instruction, end)
                        && isIndex(result, instructions.get(instruction).types().size());
            case Operand.FromSeed _ -> true;
        };
    }

    private static boolean isIndex(int index, int size) {
        return 0 <= index && index < size;
    }

    private List<TensorType> inferred(int index, Instruction instruction) {
        try {
            return instruction.op().infer(operandTypes(instruction));
        } catch (ShapeException e) {
            throw new IllegalArgumentException("instruction " + index + ": " + e.getMessage(), e);
        }
    }

    private static void require(boolean holds, int instruction, String problem) {
        if (!holds) {
            throw new IllegalArgumentException("instruction " + instruction + ": " + problem);
        }
    }

    /** Floating point operations of all instructions. */
    public long flops() {
        long flops = 0;
        for (Instruction instruction : instructions) {
            flops = Math.addExact(flops, instruction.op().flops(operandTypes(instruction), instruction.types()));
        }
        return flops;
    }

    /** Memory read and written: every buffer once, whatever part of it is read, but for what an update passes over. */
    public long bytes() {
        long read = buffers.stream().mapToLong(Long::longValue).sum();
        long passedOver = instructions.stream()
                .mapToLong(each -> each.op() instanceof Update update ? update.bytesPassedOver(operandTypes(each)) : 0)
                .sum();
        return read + writes.stream().mapToLong(write -> write.type().bytes()).sum() - passedOver;
    }
}
