package dev.remat.ir.target;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Optional;

/** What planning must know of the machine that will run the plan. Implemented beside each back end. */
public interface TargetModel {
    /** As given on the command line: {@code cpu}, {@code sm_90a}. */
    String name();

    DeviceSpec device();

    /** Scratch memory in bytes that the kernel of {@code op} needs while it runs; a function of the types alone. */
    long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results);

    /** Scratch memory in bytes that a kernel needs while it runs: its operations take turns with it. */
    default long workspaceBytes(KernelBody body) {
        return body.instructions().stream()
                .mapToLong(i -> workspaceBytes(i.op(), body.operandTypes(i), i.types()))
                .max()
                .orElse(0);
    }

    /**
     * Rows of which all chunks of a whole but the last have a multiple, so that the kernels of {@code op} give the bits
     * of the whole; a function of the types alone, which are those of the whole.
     */
    default long rowsOfChunks(Op op, List<TensorType> operands, List<TensorType> results) {
        return 1;
    }

    /** Whether the kernel of {@code op} reads operand {@code index} through strides; otherwise it must lie dense. */
    boolean acceptsStrides(Op op, int index);

    /** Whether the kernel of {@code op} writes result {@code index} through strides; otherwise it lies dense. */
    boolean placesResult(Op op, int index);

    /** Whether elementwise kernels store {@linkplain dev.remat.ir.DType#BIT bits}, and epilogues read them, too. */
    default boolean keepsBits() {
        return false;
    }

    /** Whether elementwise operations on the result of {@code op} can run in its kernel. */
    boolean fusesEpilogue(Op op);

    /**
     * Whether an epilogue saves a pass over memory. Then elementwise operations are worth moving forward to the
     * operation that they could follow in its kernel.
     */
    default boolean savesPassesByEpilogues() {
        return false;
    }

    /**
     * Whether {@code op}, one of those that work on images in any {@linkplain dev.remat.ir.op.ImageLayout layout}, may
     * have channels last. Asked of operations whose operands and results have four axes.
     */
    default boolean takesChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return false;
    }

    /** Whether {@code op} is a convolution that is worth having its images' channels last. */
    default boolean prefersChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return false;
    }

    /** Whether the kernel of a convolution can give the moments of its result's channels without reading it again. */
    default boolean givesMoments(Conv2d op, List<TensorType> operands, List<TensorType> results) {
        return false;
    }

    /**
     * Whether elementwise operations on the first operand of {@code op} can run in its kernel. A reduction computes
     * them once for each element; another operation may do so more than once.
     */
    boolean fusesPrologue(Op op, List<TensorType> operands);

    /**
     * Whether the kernel of {@code op} can store results of several operations: those of elementwise ones before or
     * after it beside its own or each other's.
     */
    default boolean storesSeveral(Op op, List<TensorType> operands) {
        return false;
    }

    /** The same without kernels that store what several could, where each can be timed by itself. */
    default TargetModel apart() {
        return this;
    }

    /**
     * Whether kernels that draw random numbers read the step's number and the seed from inputs of the kinds {@link
     * dev.remat.ir.graph.InputKind#STEP} and {@link dev.remat.ir.graph.InputKind#SEED}, so that they need not be told
     * them when they are launched.
     */
    default boolean readsDrawInputs() {
        return false;
    }

    /**
     * What kernels have in common that the target can run at once if they follow one another, as far as their bodies
     * tell; empty for one that runs alone.
     */
    default Optional<String> runsTogether(KernelBody body) {
        return Optional.empty();
    }

    /** How many kernels it can run at once at most. */
    default int mostTogether() {
        return 1;
    }

    /** Alignment of every buffer in bytes, a power of two. */
    default long alignment() {
        return 256;
    }

    /** Whether what is stored at the end of a step may run on beside the next one. */
    default boolean overlapsSteps() {
        return false;
    }

    /** Alignment in bytes of what is moved out of the arena, a power of two; it is moved in whole multiples of it. */
    default long transferAlignment() {
        return 4096;
    }
}
