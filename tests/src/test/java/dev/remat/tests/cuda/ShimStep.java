package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
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

/**
 * A step as kernels, to be run with guard bytes around every buffer, and with each buffer before a page that may not be
 * touched.
 *
 * @param paged launches of the same kernels over such pages
 */
record ShimStep(SingleStep step, KernelProgram program, SingleStep pages, List<Launch> paged) {
    static ShimStep of(StepSample sample, Architecture architecture, CodegenOptions options) {
        CudaTarget target = new CudaTarget(architecture);
        SingleStep step = SingleStep.of(sample, target);
        SingleStep pages = SingleStep.beforePages(sample, target);
        KernelProgram program = CudaCodegen.generate(step.plan(), architecture, options);
        KernelProgram paged = CudaCodegen.generate(pages.plan(), architecture, options);
        assertThat(paged.kernels()).extracting(KernelSource::symbol).isEqualTo(symbols(program));
        return new ShimStep(step, program, pages, paged.launches());
    }

    private static List<String> symbols(KernelProgram program) {
        return program.kernels().stream().map(KernelSource::symbol).toList();
    }

    /** The same launches of kernels with other texts. */
    ShimStep with(List<KernelSource> kernels) {
        return new ShimStep(step, new KernelProgram(kernels, program.launches()), pages, paged);
    }

    /**
     * Runs the step in several orders of threads and blocks, over memory that holds NaN of two kinds.
     *
     * @return the results, the same bits every time
     * @throws AssertionError if they are not, or if a byte has changed that the step may not write
     * @throws ShimException if a thread does what no kernel may
     */
    List<Tensor> run(ShimLibrary library) {
        return run(library, SingleStep.MICRO_BATCH);
    }

    /** The same of another micro-batch. */
    List<Tensor> run(ShimLibrary library, int microBatch) {
        try (Arena owner = Arena.ofConfined()) {
            List<Launch> launches = program.launches();
            MemorySegment first = run(library, step, launches, microBatch, ShimOrder.FORWARD, Poison.ONES, owner);
            expectSame(first, step, run(library, step, launches, microBatch, ShimOrder.BACKWARD, Poison.QUIET, owner));
            expectSame(first, pages, run(library, pages, paged, microBatch, ShimOrder.shuffled(1), Poison.ONES, owner));
            return step.results(first);
        }
    }

    private void expectSame(MemorySegment first, SingleStep layout, MemorySegment again) {
        for (int i = 0; i < step.step().writes().size(); i++) {
            MemoryWrite one = step.step().writes().get(i);
            MemoryWrite other = layout.step().writes().get(i);
            long differs =
                    again.asSlice(other.offset(), other.bytes()).mismatch(first.asSlice(one.offset(), one.bytes()));
            assertThat(differs)
                    .as("first byte of %s that depends on the order of threads or on unset memory", one.type())
                    .isEqualTo(-1);
        }
    }

    private MemorySegment run(
            ShimLibrary library,
            SingleStep layout,
            List<Launch> launches,
            int microBatch,
            ShimOrder order,
            Poison poison,
            Arena owner) {
        MemorySegment memory = library.map(layout.plan().arenaBytes(), owner);
        poison.fill(memory);
        layout.load(memory, microBatch);
        MemorySegment before = owner.allocate(memory.byteSize(), 256).copyFrom(memory);
        layout.guards().forEach(guard -> library.protect(memory.asSlice(guard.offset(), guard.bytes()), true));
        for (Launch launch : launches) {
            library.launch(program.kernels().get(launch.kernel()).symbol(), launch, memory, order, poison);
        }
        layout.guards().forEach(guard -> library.protect(memory.asSlice(guard.offset(), guard.bytes()), false));
        for (ByteRange range : layout.writable()) {
            MemorySegment.copy(memory, range.offset(), before, range.offset(), range.bytes());
        }
        assertThat(before.mismatch(memory))
                .as("first byte that was written and may not be")
                .isEqualTo(-1);
        return memory;
    }
}
