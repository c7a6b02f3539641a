package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import java.util.List;
import java.util.function.Function;

/**
 * How elements are reduced, a fold of {@code block.cuh}, in one launch or two.
 *
 * @param family of the kernels; {@code <family>.cuh} has the device code
 * @param variant readable part of the symbol
 * @param type C++ type of the reduction
 * @param element C++ type of what it reduces
 * @param numbers in its state
 * @param number type of each
 */
public record Reducer(String family, String variant, String type, String element, int numbers, DType number) {
    private static final long ALIGNMENT = 256;
    /** Parts that are merged in one launch. */
    private static final long FEW_PARTS = 1024;

    /** Bytes for what several splits come to. */
    public long workspaceBytes(ReductionShape shape) {
        return shape.splits() == 1 ? 0 : shape.splits() * shape.outputs() * numbers * number.bytes();
    }

    /**
     * Launches the reduction.
     *
     * @param input declares the Input functor in a call and returns its expression
     * @param output likewise for what takes the results
     * @param workspace offset of its part of the step's workspace
     */
    public void launch(
            KernelStepBinding step,
            ReductionShape shape,
            Function<KernelCall, String> input,
            Function<KernelCall, String> output,
            long workspace) {
        if (shape.splits() == 1) {
            launch(step, shape, type, element, "", input, output);
            return;
        }
        Function<KernelCall, String> partial = call -> partial(call, step, shape, workspace);
        launch(step, shape, type, element, "_split", input, partial);
        launch(
                step,
                shape.second(number),
                "Merged<" + type + ">",
                "typename " + type + "::State",
                "_merge",
                partial,
                output);
    }

    /** Bytes for what {@code parts} of each output have come to in another kernel, and to merge them. */
    public long mergeBytes(long parts, long outputs) {
        return partsOffset(parts, outputs) + parts * outputs * numbers * number.bytes();
    }

    /** Where another kernel leaves its parts among these bytes: behind what the first launch merges them to. */
    public long partsOffset(long parts, long outputs) {
        return Alignment.up(workspaceBytes(mergeShape(parts, outputs)), ALIGNMENT);
    }

    private ReductionShape mergeShape(long parts, long outputs) {
        return parts <= FEW_PARTS
                ? ReductionShape.merging(parts, outputs, number)
                : ReductionShape.of(new long[] {parts, outputs}, List.of(0), number);
    }

    /**
     * Merges what another kernel has left of each output, in a launch or two.
     *
     * @param workspace offset of {@link #mergeBytes}; of the parts there are the first numbers, part by part, then all
     *     second ones
     */
    public void merge(
            KernelStepBinding step, long parts, long outputs, Function<KernelCall, String> output, long workspace) {
        ReductionShape shape = mergeShape(parts, outputs);
        String merged = "Merged<" + type + ">";
        String state = "typename " + type + "::State";
        long from = workspace + partsOffset(parts, outputs);
        Function<KernelCall, String> left = call -> partial(call, step, parts, outputs, false, from);
        if (shape.splits() == 1) {
            launch(step, shape, merged, state, "_merge", left, output);
            return;
        }
        Function<KernelCall, String> fewer = call -> partial(call, step, shape, workspace);
        launch(step, shape, merged, state, "_merge_split", left, fewer);
        launch(step, shape.second(number), merged, state, "_merge", fewer, output);
    }

    private void launch(
            KernelStepBinding step,
            ReductionShape shape,
            String reducer,
            String elementType,
            String pass,
            Function<KernelCall, String> input,
            Function<KernelCall, String> output) {
        KernelCall call = new KernelCall(family, variant + "_" + shape.label() + pass, family + ".cuh", "reduce.cuh");
        String from = input.apply(call);
        String to = output.apply(call);
        step.launch(call.body("reduce<" + reducer + ", " + shape.template() + ", " + elementType + ">(" + from + ", "
                + to + ", " + shape.declare(call) + ");"));
    }

    private String partial(KernelCall call, KernelStepBinding step, ReductionShape shape, long workspace) {
        return partial(call, step, shape.splits(), shape.outputs(), shape.rows(), workspace);
    }

    private String partial(
            KernelCall call, KernelStepBinding step, long splits, long outputs, boolean rows, long workspace) {
        long bytes = splits * outputs * numbers * number.bytes();
        String first = step.workspace(call, CudaType.of(number), workspace, bytes);
        return "Partial<" + type + "::State, " + rows + ">{" + first + ", " + call.u64(outputs) + ", "
                + call.u32(splits) + "}";
    }
}
