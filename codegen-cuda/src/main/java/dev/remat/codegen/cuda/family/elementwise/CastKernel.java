package dev.remat.codegen.cuda.family.elementwise;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.op.Cast;
import java.util.List;
import java.util.Optional;

/**
 * Casts; dense f32 tensors that are rounded to one 16-bit dtype share launches: parameters, whose copies every step
 * makes.
 */
public record CastKernel() implements CudaKernel {
    private static final int THREADS = 256;
    /** Bytes that a thread stores at once. */
    private static final int STORED = 16;

    @Override
    public boolean storesSeveral(List<TensorType> operands) {
        return true;
    }

    @Override
    public Optional<String> kind(KernelBody body) {
        Cast cast = (Cast) body.instructions().getFirst().op();
        return rounds(body) ? Optional.of(cast.mnemonic() + cast.attributes()) : Optional.empty();
    }

    /** Whether all that a kernel does is to round a dense tensor. */
    private static boolean rounds(KernelBody body) {
        if (body.instructions().size() != 1
                || !(body.instructions().getFirst().op() instanceof Cast cast)
                || body.reads().size() != 1) {
            return false;
        }
        KernelBody.Read read = body.reads().getFirst();
        return read.dtype() == DType.F32
                && cast.dtype().isFloat()
                && cast.dtype().bytes() < DType.F32.bytes()
                && read.view().isContiguous();
    }

    @Override
    public boolean joins(List<KernelStepBinding> steps, KernelStepBinding next) {
        KernelStepBinding first = steps.getFirst();
        return isAligned(first.step())
                && isAligned(next.step())
                && to(next).dtype() == to(first).dtype()
                && ManyTensors.mayJoin(steps, next);
    }

    /** Whether a step rounds a tensor that begins where 16 bytes can be moved. */
    private static boolean isAligned(KernelStep step) {
        return rounds(step.body())
                && step.read(0).address() % STORED == 0
                && step.writes().getFirst().offset() % STORED == 0;
    }

    private static TensorType to(KernelStepBinding step) {
        return step.step().writes().getFirst().type();
    }

    @Override
    public void lower(KernelStepBinding step) {
        new ElementwiseKernel().lower(step);
    }

    @Override
    public void lower(List<KernelStepBinding> steps) {
        if (steps.size() == 1) {
            lower(steps.getFirst());
            return;
        }
        DType to = to(steps.getFirst()).dtype();
        int width = STORED / to.bytes();
        KernelCall call = new KernelCall("elementwise", "cast_" + to.label() + "_many", "cast.cuh");
        ManyTensors tensors = new ManyTensors(
                List.of(
                        new Column(
                                "const float*",
                                "from",
                                (in, i) -> in.input(
                                        DType.F32, steps.get(i).step().read(0).address())),
                        new Column(
                                CudaType.of(to) + "*",
                                "to",
                                (in, i) -> in.output(
                                        to,
                                        steps.get(i).step().writes().getFirst().offset()))),
                steps.stream().map(step -> to(step).elements()).toList(),
                steps.stream()
                        .map(step -> Math.ceilDiv(to(step).elements(), (long) THREADS * width))
                        .toList());
        call.body(tensors.choose(call) + "cast_all<" + width + ">(from, to, " + ManyTensors.ELEMENTS + ", "
                + ManyTensors.BLOCK + ");");
        steps.getFirst().launch(call.threads(THREADS).grid(tensors.grid()));
    }
}
