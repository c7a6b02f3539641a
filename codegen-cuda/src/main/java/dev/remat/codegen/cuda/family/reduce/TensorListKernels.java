package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * One number of all elements of several tensors: a launch for up to {@link ManyTensors#MOST} of one dtype, whose blocks
 * sum for a piece each, and one that adds the sums up. What a piece is follows from the shapes.
 */
public final class TensorListKernels {
    private static final String HEADER = "tensors.cuh";
    private static final String CHUNKS = "chunks.cuh";
    private static final int THREADS = 256;
    private static final int FINISHING_THREADS = 1024;
    private static final int WARP = 32;
    /** Elements that a block sums for; {@code PIECE} in the header. */
    private static final long PIECE = 8192;
    /** Neighbours that a thread takes at most. */
    private static final int NEIGHBOURS = 4;

    private TensorListKernels() {}

    public static CudaKernel of(SumOfSquares op) {
        return CudaKernel.of(types -> workspaceBytes(op.tensors(types.operands())), step -> sumOfSquares(op, step));
    }

    /** Of a whole tensor: sums of pieces, each where its first chunk is, so that they add up as if in one place. */
    public static CudaKernel of(ChunkSquares op) {
        return step -> chunkSquares(op, step);
    }

    /** @throws IllegalStateException where it is lowered with tensors beside sums by chunks */
    public static CudaKernel of(SumOfChunks op) {
        return CudaKernel.of(
                types -> sum(op).bytes()
                        * op.sums(types.operands()).stream()
                                .mapToLong(TensorListKernels::piecesOfChunks)
                                .sum(),
                step -> sumOfChunks(op, step));
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
        finish(step, sum(types), pieces(types), "squares", "static_cast<float>(total)");
    }

    private static void allFinite(KernelStepBinding step) {
        List<TensorType> types = step.operandTypes();
        pieces(step, types, "finite", call -> "NotFinite<" + CudaType.of(sum(types)) + ">{}");
        finish(step, sum(types), pieces(types), "finite", "total == 0");
    }

    private static DType sum(SumOfChunks op) {
        return op.precise() ? DType.F64 : DType.F32;
    }

    private static void chunkSquares(ChunkSquares op, KernelStepBinding step) {
        TensorType type = step.operandType(0);
        if (op.firsts().size() != 1 || !op.areAll(type.elements())) {
            throw new IllegalStateException(op.mnemonic() + " has no kernel for shares of ranks");
        }
        String sum = CudaType.of(op.precise() ? DType.F64 : DType.F32);
        String name = "squares" + (op.scaled() ? "_scaled_" : "_") + sum + "_"
                + type.dtype().label();
        KernelCall call = new KernelCall("chunks", name, CHUNKS);
        String from = step.input(call, 0);
        String factor = op.scaled() ? "static_cast<" + sum + ">(*" + step.input(call, 1) + ")" : sum + "(1)";
        String to = step.result(call, 0);
        String elements = call.u64(op.elements().getFirst());
        String chunks = call.u64(type.elements() / ScatterShares.UNIT);
        call.body(sum + " total;\nsum_piece<" + width(step, List.of(0)) + ">(Square<" + sum + ">{" + factor + "}, "
                + from + ", " + elements + ", blockIdx.x, &total);\nplace_piece(total, " + to + ", " + chunks + ");\n");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(type.elements(), PIECE)));
    }

    private static long piecesOfChunks(TensorType chunks) {
        return Math.ceilDiv(chunks.elements() * ScatterShares.UNIT, PIECE);
    }

    private static void sumOfChunks(SumOfChunks op, KernelStepBinding step) {
        List<TensorType> types = op.sums(step.operandTypes());
        if (op.chunked().size() < types.size()) {
            throw new IllegalStateException(op.mnemonic() + " has no kernel for tensors");
        }
        DType sum = sum(op);
        long done = 0;
        for (int first = 0; first < types.size(); first += ManyTensors.MOST) {
            List<Integer> operands = IntStream.range(first, Math.min(types.size(), first + ManyTensors.MOST))
                    .filter(operand -> types.get(operand).elements() > 0)
                    .boxed()
                    .toList();
            if (operands.isEmpty()) {
                continue;
            }
            KernelCall call = new KernelCall("chunks", "taken_" + sum.label(), CHUNKS);
            ManyTensors tensors = new ManyTensors(
                    List.of(new Column("const double*", "from", (into, i) -> step.input(into, operands.get(i)))),
                    operands.stream()
                            .map(operand -> types.get(operand).elements())
                            .toList(),
                    operands.stream()
                            .map(operand -> piecesOfChunks(types.get(operand)))
                            .toList());
            String sums = step.workspace(call, CudaType.of(sum), done * sum.bytes(), tensors.grid() * sum.bytes());
            call.body(tensors.choose(call) + "take_piece(from, " + ManyTensors.ELEMENTS + ", " + ManyTensors.BLOCK
                    + ", " + sums + " + blockIdx.x);");
            step.launch(call.threads(WARP).grid(tensors.grid()));
            done += tensors.grid();
        }
        finish(step, sum, done, "squares", "static_cast<float>(total)");
    }

    /** Bytes for the sums of all pieces. */
    private static long workspaceBytes(List<TensorType> types) {
        return sum(types).bytes() * pieces(types);
    }

    private static long pieces(List<TensorType> types) {
        return types.stream().mapToLong(TensorListKernels::pieces).sum();
    }

    private static long pieces(TensorType type) {
        return Math.ceilDiv(type.elements(), PIECE);
    }

    private static DType sum(List<TensorType> types) {
        return SumOfSquares.isPrecise(types) ? DType.F64 : DType.F32;
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

    private static void finish(KernelStepBinding step, DType sum, long count, String name, String result) {
        KernelCall call = new KernelCall("tensors", name + "_" + sum.label() + "_sum", HEADER);
        String sums = step.workspace(call, "const " + CudaType.of(sum), 0, count * sum.bytes());
        String pieces = call.u64(count);
        String to = step.result(call, 0);
        call.body("const " + CudaType.of(sum) + " total = sum_pieces(" + sums + ", " + pieces + ");\n"
                + "if (threadIdx.x == 0) {\n    *" + to + " = " + result + ";\n}\n");
        step.launch(call.threads(FINISHING_THREADS).grid(1));
    }
}
