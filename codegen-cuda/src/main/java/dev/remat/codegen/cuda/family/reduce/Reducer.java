package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
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
        String name = CudaType.of(number);
        String numbers = step.workspace(call, name, workspace, workspaceBytes(shape));
        return "Partial<" + type + "::State, " + shape.rows() + ">{" + numbers + ", " + call.u64(shape.outputs()) + ", "
                + call.u32(shape.splits()) + "}";
    }
}
