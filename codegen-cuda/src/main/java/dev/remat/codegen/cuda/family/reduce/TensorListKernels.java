package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.SumOfSquares;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * One number of all elements of several tensors: a launch for up to {@link ManyTensors#MOST} of one dtype, whose blocks
 * sum for a piece each, and one that adds the sums up. What a piece is follows from the shapes.
 */
public final class TensorListKernels {
    private static final String HEADER = "tensors.cuh";
    private static final int THREADS = 256;
    private static final int FINISHING_THREADS = 1024;
    /** Elements that a block sums for; {@code PIECE} in the header. */
    private static final long PIECE = 8192;
    /** Neighbours that a thread takes at most. */
    private static final int NEIGHBOURS = 4;

    private TensorListKernels() {}

    public static CudaKernel of(SumOfSquares op) {
        return CudaKernel.of(types -> workspaceBytes(op.tensors(types.operands())), step -> sumOfSquares(op, step));
    }

    public static CudaKernel ofFinite() {
        return CudaKernel.of(types -> workspaceBytes(types.operands()), TensorListKernels::allFinite);
    }

    private static void sumOfSquares(SumOfSquares op, KernelStepBinding step) {
        List<TensorType> types = op.tensors(step.operandTypes());
        String sum = CudaType.of(sum(types));
        Function<KernelCall, String> map = call -> "Square<" + sum + ">{"
                + (op.scaled() ? "static_cast<" + sum + ">(*" + step.input(call, types.size()) + ")" : sum + "(1)")
                + "}";
        String name = "squares" + (op.scaled() ? "_scaled" : "");
        pieces(step, types, name, map);
        finish(step, types, "squares", "static_cast<float>(total)");
    }

    private static void allFinite(KernelStepBinding step) {
        List<TensorType> types = step.operandTypes();
        pieces(step, types, "finite", call -> "NotFinite<" + CudaType.of(sum(types)) + ">{}");
        finish(step, types, "finite", "total == 0");
    }

    /** Bytes for the sums of all pieces. */
    private static long workspaceBytes(List<TensorType> types) {
        return sum(types).bytes()
                * types.stream().mapToLong(TensorListKernels::pieces).sum();
    }

    private static long pieces(TensorType type) {
        return Math.ceilDiv(type.elements(), PIECE);
    }

    private static DType sum(List<TensorType> types) {
        return types.stream().anyMatch(type -> type.dtype() == DType.F64) ? DType.F64 : DType.F32;
    }

    private static void pieces(
            KernelStepBinding step, List<TensorType> types, String name, Function<KernelCall, String> map) {
        long done = 0;
        List<Integer> batch = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            if (pieces(types.get(i)) > 0) {
                batch.add(i);
            }
            boolean last = i + 1 == types.size();
            boolean full = batch.size() == ManyTensors.MOST
                    || !last && types.get(i + 1).dtype() != types.get(i).dtype();
            if (!batch.isEmpty() && (last || full)) {
                launch(step, types, List.copyOf(batch), done, name, map);
                done += batch.stream()
                        .mapToLong(operand -> pieces(types.get(operand)))
                        .sum();
                batch.clear();
            }
        }
    }

    /** @param done pieces that earlier launches sum for */
    private static void launch(
            KernelStepBinding step,
            List<TensorType> types,
            List<Integer> operands,
            long done,
            String name,
            Function<KernelCall, String> map) {
        DType dtype = types.get(operands.getFirst()).dtype();
        KernelCall call = new KernelCall("tensors", name + "_" + dtype.label(), HEADER);
        ManyTensors tensors = new ManyTensors(
                List.of(new Column(
                        "const " + CudaType.of(dtype) + "*", "from", (into, i) -> step.input(into, operands.get(i)))),
                operands.stream().map(operand -> types.get(operand).elements()).toList(),
                operands.stream().map(operand -> pieces(types.get(operand))).toList());
        DType sum = sum(types);
        String sums = step.workspace(call, CudaType.of(sum), done * sum.bytes(), tensors.grid() * sum.bytes());
        call.body(tensors.choose(call) + "sum_piece<" + width(step, operands) + ">(" + map.apply(call) + ", from, "
                + ManyTensors.ELEMENTS + ", " + ManyTensors.BLOCK + ", " + sums + " + blockIdx.x);");
        step.launch(call.threads(THREADS).grid(tensors.grid()));
    }

    /** Neighbours that all the tensors' places allow to be loaded at once. */
    private static int width(KernelStepBinding step, List<Integer> operands) {
        int bytes = step.operandType(operands.getFirst()).dtype().bytes();
        int width = Math.min(NEIGHBOURS, 16 / bytes);
        for (int operand : operands) {
            while (width > 1 && step.dense(operand) % ((long) width * bytes) != 0) {
                width /= 2;
            }
        }
        return width;
    }

    private static void finish(KernelStepBinding step, List<TensorType> types, String name, String result) {
        DType sum = sum(types);
        KernelCall call = new KernelCall("tensors", name + "_" + sum.label() + "_sum", HEADER);
        String sums = step.workspace(call, "const " + CudaType.of(sum), 0, workspaceBytes(types));
        String pieces = call.u64(workspaceBytes(types) / sum.bytes());
        String to = step.result(call, 0);
        call.body("const " + CudaType.of(sum) + " total = sum_pieces(" + sums + ", " + pieces + ");\n"
                + "if (threadIdx.x == 0) {\n    *" + to + " = " + result + ";\n}\n");
        step.launch(call.threads(FINISHING_THREADS).grid(1));
    }
}
