package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.SingleStep;
import dev.remat.tests.steps.StepSample;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A step as kernels, to be run with guard bytes around every buffer. */
record ShimStep(SingleStep step, KernelProgram program) {
    static ShimStep of(StepSample sample, Architecture architecture, CodegenOptions options) {
        SingleStep step = SingleStep.of(sample, new CudaTarget(architecture));
        return new ShimStep(step, CudaCodegen.generate(step.plan(), architecture, options));
    }

    /**
     * Runs the step in several orders of threads and blocks, over memory that holds NaN of two kinds.
     *
     * @return the results, the same bits every time
     * @throws AssertionError if they are not, or if a byte has changed that the step may not write
     */
    List<Tensor> run(ShimLibrary library) {
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment first = run(library, ShimOrder.FORWARD, Poison.ONES, owner);
            expectSame(first, run(library, ShimOrder.BACKWARD, Poison.QUIET, owner));
            expectSame(first, run(library, ShimOrder.shuffled(1), Poison.ONES, owner));
            return step.results(first);
        }
    }

    private void expectSame(MemorySegment first, MemorySegment again) {
        for (MemoryWrite write : step.step().writes()) {
            long differs =
                    again.asSlice(write.offset(), write.bytes()).mismatch(first.asSlice(write.offset(), write.bytes()));
            assertThat(differs)
                    .as("first byte of %s that depends on the order of threads or on unset memory", write.type())
                    .isEqualTo(-1);
        }
    }

    private MemorySegment run(ShimLibrary library, ShimOrder order, Poison poison, Arena owner) {
        MemorySegment memory = library.map(step.plan().arenaBytes(), owner);
        poison.fill(memory);
        step.load(memory);
        MemorySegment before = owner.allocate(memory.byteSize(), 256).copyFrom(memory);
        for (Launch launch : program.launches()) {
            library.launch(program.kernels().get(launch.kernel()).symbol(), launch, memory, order, poison);
        }
        for (ByteRange range : step.writable()) {
            MemorySegment.copy(memory, range.offset(), before, range.offset(), range.bytes());
        }
        assertThat(before.mismatch(memory))
                .as("first byte that was written and may not be")
                .isEqualTo(-1);
        return memory;
    }
}
