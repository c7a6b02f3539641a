package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.TileFamily.Choice;
import dev.remat.codegen.cuda.family.gemm.TileFamily.Tile;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ParameterType;

/**
 * A product with its operands and results in memory, ready to be launched. The step's epilogue is fused to whichever
 * kernel has the whole sums.
 *
 * @param whole the product that this is a chunk of, whose tiles and splits it has; itself where it is whole
 */
public record Gemm(GemmProblem problem, GemmOperand a, GemmOperand b, ResultLayout place, GemmProblem whole) {
    private static final int SECOND_THREADS = 256;
    private static final int SECOND_WIDTH = 4;

    public Gemm(GemmProblem problem, GemmOperand a, GemmOperand b, ResultLayout place) {
        this(problem, a, b, place, problem);
    }

    public void lower(KernelStepBinding step) {
        Choice choice = choose(step);
        if (!choice.apart()) {
            KernelCall call = product(choice, "");
            String to = place.declare(call);
            String output = place.output(call, step.output(call));
            finish(call, choice, Math.min(storeWidth(step), choice.family().width()), to, output);
            step.launch(call);
            return;
        }
        DType sum = problem.dtype().accumulator();
        KernelCall first = product(choice, "_split");
        ResultLayout partial = new ResultLayout.Dense(problem.m(), problem.n());
        String to = partial.declare(first);
        String store = "Store<" + CudaType.of(sum) + ">{" + partial(step, choice, first, CudaType.of(sum)) + "}";
        finish(first, choice, Math.min(partial.width(), choice.family().width()), to, store);
        step.launch(first);
        step.launch(second(step, choice, sum));
    }

    private Choice choose(KernelStepBinding step) {
        return TileModel.choose(step.architecture(), whole, step.options()).chunk(problem);
    }

    /** Tiles of rows that the product has, if every tile is summed by one block; 0 if sums are split. */
    public long wholeTiles(KernelStepBinding step) {
        Choice choice = choose(step);
        return choice.apart() ? 0 : Math.ceilDiv(problem.m(), choice.tile().m());
    }

    /**
     * Launches a product of whole sums whose columns' moments are kept.
     *
     * @param step without an epilogue
     * @param moments of 16-bit results: {@code wholeTiles} times three f32 numbers of each column of every batch, from
     *     this offset in the step's workspace on
     */
    public void lowerWithMoments(KernelStepBinding step, long moments) {
        Choice choice = choose(step);
        KernelCall call = product(choice, "_moments");
        call.header("column_moments.cuh");
        String to = place.declare(call);
        String output = place.output(call, step.output(call));
        long columns = problem.batches() * problem.n();
        long tiles = wholeTiles(step);
        String kept = "ColumnMoments<" + CudaType.of(problem.dtype()) + ">{"
                + String.join(
                        ", ",
                        step.workspace(call, "float", moments, 3 * Float.BYTES * columns * tiles),
                        call.u32(columns),
                        call.u32(tiles))
                + "}";
        finish(call, choice, Math.min(storeWidth(step), choice.family().width()), to, output + ", " + kept);
        step.launch(call);
    }

    private KernelCall product(Choice choice, String suffix) {
        TileFamily family = choice.family();
        String variant = problem.dtype().label() + "_" + GemmOperand.layout(a, b) + "_"
                + choice.tile().m() + "x" + choice.tile().n() + suffix;
        return new KernelCall(family.name(), variant, family.name() + ".cuh");
    }

    private void finish(KernelCall call, Choice choice, int width, String to, String output) {
        boolean aligned = isAligned(a) && isAligned(b);
        Tile tile = aligned ? choice.tile() : choice.family().loose(choice.tile());
        call.body(choice.family().name() + "<" + tile.type() + ", " + width + ">(" + a.declare(call) + ", "
                + b.declare(call) + ", " + to + ", " + output + ",\n" + shape(call, choice.splitDepth()) + ");");
        call.threads(tile.threads()).shared(tile.sharedBytes());
        call.grid(Math.multiplyExact(tile.tiles(problem), choice.splits()));
        call.leastBlocks(aligned ? tile.resident() : 1);
    }

    /** Whether an operand is read by so few instructions that their registers leave room for other blocks. */
    private boolean isAligned(GemmOperand operand) {
        return operand.chunk() * problem.dtype().bytes() == 16;
    }

    private KernelCall second(KernelStepBinding step, Choice choice, DType sum) {
        KernelCall call = new KernelCall("split_k", problem.dtype().label(), "split_k.cuh");
        int width = Math.min(storeWidth(step), SECOND_WIDTH);
        String partial = partial(step, choice, call, "const " + CudaType.of(sum));
        String splits = call.u32(choice.splits());
        String to = place.declare(call) + ", " + place.output(call, step.output(call));
        call.body("add_splits<" + width + ">(" + partial + ", " + splits + ", " + to + ",\n"
                + shape(call, choice.splitDepth()) + ");");
        long groups = problem.sumBytes() / sum.bytes() / width;
        return call.threads(SECOND_THREADS).leastBlocks(1).grid(Math.ceilDiv(groups, SECOND_THREADS));
    }

    private String partial(KernelStepBinding step, Choice choice, KernelCall call, String type) {
        return step.workspace(call, type, 0, choice.workspaceBytes(problem));
    }

    private String shape(KernelCall call, long splitDepth) {
        return KernelCall.struct(
                "GemmShape",
                call.u32(problem.m()),
                call.u32(problem.n()),
                call.u32(problem.k()),
                call.u32(problem.batches()),
                call.u32(splitDepth));
    }

    /** Neighbouring results that may be stored at once; a fused output looks after alignment itself. */
    private int storeWidth(KernelStepBinding step) {
        int width = place.width();
        long address = step.hasEpilogue() ? 0 : step.resultAddress(0);
        int bytes = step.resultType(0).dtype().bytes();
        while (width > 1 && address != ParameterType.NULL && address % Math.min(16, width * bytes) != 0) {
            width /= 2;
        }
        return width;
    }
}
