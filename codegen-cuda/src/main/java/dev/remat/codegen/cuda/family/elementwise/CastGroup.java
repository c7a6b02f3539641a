package dev.remat.codegen.cuda.family.elementwise;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.codegen.cuda.emit.StepGroup;
import dev.remat.ir.DType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.op.Cast;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Dense f32 tensors that are rounded to one 16-bit dtype: parameters, whose copies every step makes.
 *
 * @param steps one, or several that do not touch each other's memory
 */
public record CastGroup(List<KernelStepBinding> steps) implements StepGroup {
    private static final int THREADS = 256;
    /** Bytes that a thread stores at once. */
    private static final int STORED = 16;

    public CastGroup {
        steps = List.copyOf(steps);
    }

    public static CastGroup of(KernelStepBinding step) {
        return new CastGroup(List.of(step));
    }

    /** Whether a step is such a cast, of a tensor that begins where 16 bytes can be moved. */
    public static boolean mayHold(KernelStepBinding binding) {
        KernelStep step = binding.step();
        return suits(step.body())
                && step.read(0).address() % STORED == 0
                && step.writes().getFirst().offset() % STORED == 0;
    }

    /** Whether all that a kernel does is to round a dense tensor. */
    public static boolean suits(KernelBody body) {
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
    public KernelStepBinding first() {
        return steps.getFirst();
    }

    @Override
    public Optional<StepGroup> with(KernelStepBinding step) {
        boolean fits = steps.size() < ManyTensors.MOST
                && mayHold(step)
                && to(step) == to(steps.getFirst())
                && steps.stream().allMatch(other -> StepGroup.areApart(other.step(), step.step()));
        return fits
                ? Optional.of(new CastGroup(
                        Stream.concat(steps.stream(), Stream.of(step)).toList()))
                : Optional.empty();
    }

    private static DType to(KernelStepBinding step) {
        return step.step().writes().getFirst().type().dtype();
    }

    @Override
    public void lower() {
        if (steps.size() == 1) {
            ElementwiseKernels.lower(first());
            return;
        }
        DType to = to(first());
        int width = STORED / to.bytes();
        KernelCall call = new KernelCall("elementwise", "cast_" + to.label() + "_many", "cast.cuh");
        ManyTensors tensors = new ManyTensors(
                List.of(
                        new Column("const float*", "from", (in, i) -> in.input(DType.F32, address(i))),
                        new Column(CudaType.of(to) + "*", "to", (in, i) -> in.output(to, place(i)))),
                steps.stream().map(CastGroup::elements).toList(),
                steps.stream()
                        .map(step -> Math.ceilDiv(elements(step), (long) THREADS * width))
                        .toList());
        call.body(tensors.choose(call) + "cast_all<" + width + ">(from, to, " + ManyTensors.ELEMENTS + ", "
                + ManyTensors.BLOCK + ");");
        first().launch(call.threads(THREADS).grid(tensors.grid()));
    }

    private static long elements(KernelStepBinding step) {
        return step.step().writes().getFirst().type().elements();
    }

    private long address(int index) {
        return steps.get(index).step().read(0).address();
    }

    private long place(int index) {
        return steps.get(index).step().writes().getFirst().offset();
    }
}
