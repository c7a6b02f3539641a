package dev.remat.runtime.cpu;

import dev.remat.ir.DType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Reduce;
import dev.remat.runtime.cpu.conv.ConvPrimitives;
import dev.remat.runtime.cpu.elementwise.Eltwise;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.reduce.ReduceKernel;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.TensorView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chooses a kernel for a step and resolves its addresses. */
final class BindKernelStep {
    /**
     * A step ready to run.
     *
     * @param end one past the highest byte of the arena that its kernels receive
     */
    record Bound(BoundKernelStep kernel, long end) {}

    private final KernelStep step;
    private final ConvPrimitives convolutions;
    private final Map<Integer, Instruction> elementwise = new LinkedHashMap<>();
    private long end;

    private BindKernelStep(KernelStep step, ConvPrimitives convolutions) {
        this.step = step;
        this.convolutions = convolutions;
    }

    /**
     * @param target whose kernels the plan was made for
     * @throws IllegalArgumentException if the step stores results as kernels of GPUs alone do
     */
    static Bound run(KernelStep step, String target, ConvPrimitives convolutions) {
        requireResultsOfCpu(step, target);
        return new BindKernelStep(step, convolutions).run();
    }

    /** Only elementwise kernels store what several operations make, and all of them row-major. */
    private static void requireResultsOfCpu(KernelStep step, String target) {
        long makers =
                step.writes().stream().map(MemoryWrite::instruction).distinct().count();
        if (makers > 1 && step.body().form() != KernelBody.Form.ELEMENTWISE) {
            throw new IllegalArgumentException("step " + step.name() + " of a plan for " + target + " stores what "
                    + makers + " operations make, as no kernel of the CPU does");
        }
        for (MemoryWrite write : step.writes()) {
            if (!write.isDense()) {
                throw new IllegalArgumentException("step " + step.name() + " of a plan for " + target + " stores "
                        + write.name() + " through strides, as no kernel of the CPU does");
            }
        }
    }

    private Bound run() {
        List<Instruction> body = step.body().instructions();
        for (int i = 0; i < body.size(); i++) {
            if (body.get(i).op() instanceof Elementwise) {
                elementwise.put(i, body.get(i));
            }
        }
        Binding binding = new Binding(step);
        BoundKernelStep kernel = switch (step.body().form()) {
            case ELEMENTWISE -> fused(Map.of());
            case REDUCTION -> reduction(binding);
            case ANCHORED -> anchored(binding);
        };
        return new Bound(kernel, Math.max(end, binding.end()));
    }

    private BoundKernelStep anchored(Binding binding) {
        BoundKernelStep anchor = new BindAnchor(binding, convolutions).run();
        if (!binding.hasEpilogue()) {
            return anchor;
        }
        BoundKernelStep rest = fused(Map.of(
                new Operand.FromInstruction(binding.anchor(), 0),
                binding.resultType(0).dtype()));
        return frame -> {
            anchor.run(frame);
            rest.run(frame);
        };
    }

    /** The elementwise instructions from memory to memory; what is given lies in the place of the only write. */
    private BoundKernelStep fused(Map<Operand.FromInstruction, DType> given) {
        int[] dims = Shapes.dims(step.writes().getFirst().type());
        long[] dense = IterationSpace.dense(dims);
        FusedProgram fused = new FusedProgram(step.reads(), dims, elementwise, given);
        List<TensorView> inputs = new ArrayList<>();
        given.values()
                .forEach(type -> inputs.add(
                        TensorView.dense(type, step.writes().getFirst().offset(), dims)));
        inputs.addAll(fused.inputs());
        EltwiseProgram program = fused.program(step.writes().stream()
                .map(write -> new Operand.FromInstruction(write.instruction(), write.result()))
                .toList());
        Eltwise kernel = new Eltwise(
                program,
                dims,
                inputs.stream().map(TensorView::strides).toList(),
                step.writes().stream().map(write -> dense).toList());
        long[] from = inputs.stream().mapToLong(TensorView::offset).toArray();
        long[] to = step.writes().stream().mapToLong(MemoryWrite::offset).toArray();
        touchReads();
        step.writes().forEach(write -> end = Math.max(end, write.offset() + write.bytes()));
        return frame -> kernel.run(frame.pool(), frame.arena(), from, to, frame.randomBits());
    }

    private BoundKernelStep reduction(Binding binding) {
        Reduce reduce = (Reduce) binding.op();
        Operand operand = binding.instruction().operands().getFirst();
        EltwiseProgram program;
        List<TensorView> inputs;
        int[] dims;
        switch (operand) {
            case Operand.FromMemory memory -> {
                TensorView view = Binding.view(step.read(memory.index()));
                dims = view.dims();
                inputs = List.of(view);
                program = EltwiseProgram.copy(view.type());
            }
            case Operand.FromInstruction result -> {
                dims = Shapes.dims(step.body().type(result));
                FusedProgram fused = new FusedProgram(step.reads(), dims, elementwise, Map.of());
                inputs = fused.inputs();
                program = fused.program(List.of(result));
            }
            case Operand.FromSeed _ -> throw new IllegalStateException("a seed cannot be reduced");
        }
        boolean[] axes = Shapes.flags(dims.length, reduce.axes());
        DType type = binding.resultType(0).dtype();
        long workspace = binding.workspace(ReduceKernel.workspaceBytes(type, dims, axes));
        long output = binding.result(0);
        ReduceKernel kernel = new ReduceKernel(
                ReduceKernel.Kind.valueOf(reduce.kind().name()),
                program,
                type,
                dims,
                axes,
                inputs.stream().map(TensorView::strides).toList());
        long[] from = inputs.stream().mapToLong(TensorView::offset).toArray();
        touchReads();
        return frame -> kernel.run(frame.pool(), frame.arena(), from, output, workspace, frame.randomBits());
    }

    private void touchReads() {
        for (MemoryRead read : step.reads()) {
            end = Math.max(end, read.offset() + read.bytes());
        }
    }
}
