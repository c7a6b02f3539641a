package dev.remat.codegen.cuda.emit;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * The kernel of one operation, in as many launches as it takes: what planning must know of it, as {@link TargetModel}
 * asks, and how a step becomes its launches.
 */
@FunctionalInterface
public interface CudaKernel {
    /** Launches what a step does. */
    void lower(KernelStepBinding step);

    /** A kernel that needs scratch memory and is otherwise plain. */
    static CudaKernel of(ToLongFunction<OpTypes> workspaceBytes, Consumer<KernelStepBinding> lower) {
        return new CudaKernel() {
            @Override
            public long workspaceBytes(OpTypes types) {
                return workspaceBytes.applyAsLong(types);
            }

            @Override
            public void lower(KernelStepBinding step) {
                lower.accept(step);
            }
        };
    }

    /** Scratch memory between its launches. */
    default long workspaceBytes(OpTypes types) {
        return 0;
    }

    /** Whether operand {@code index} may be strided. */
    default boolean takesStrides(int index) {
        return false;
    }

    /** Whether result {@code index} may be strided. */
    default boolean placesResult(int index) {
        return false;
    }

    /** Whether elementwise operations on the result run in it. */
    default boolean takesEpilogue() {
        return false;
    }

    /** Whether elementwise operations on the first operand run in it. */
    default boolean takesPrologue(List<TensorType> operands) {
        return false;
    }

    /** Whether it stores results of what is fused to it. */
    default boolean storesSeveral(List<TensorType> operands) {
        return takesEpilogue();
    }

    /** Whether it takes images whose channels lie side by side. */
    default boolean takesChannelsLast(OpTypes types) {
        return true;
    }

    /** Whether it is worth laying out images so. */
    default boolean prefersChannelsLast(OpTypes types) {
        return false;
    }

    /** What steps have in common that may run in one launch, as far as their bodies tell; empty for one alone. */
    default Optional<String> kind(KernelBody body) {
        return Optional.empty();
    }

    /**
     * Whether the plan's next step may run in the launch of those before it.
     *
     * @param steps one of this kernel, or several that have joined it
     */
    default boolean joins(List<KernelStepBinding> steps, KernelStepBinding next) {
        return false;
    }

    /**
     * Launches steps that have joined as the first of them.
     *
     * @param steps of which {@link #joins} is true
     */
    default void lower(List<KernelStepBinding> steps) {
        lower(steps.getFirst());
    }
}
