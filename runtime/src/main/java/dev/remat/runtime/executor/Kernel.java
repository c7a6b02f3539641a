package dev.remat.runtime.executor;

import dev.remat.runtime.cpu.Draws;
import dev.remat.runtime.cpu.WorkerPool;
import java.lang.foreign.MemorySegment;

/** One step of a plan, resolved to addresses. */
interface Kernel {
    /** @param draws random words of the training step */
    void run(WorkerPool pool, MemorySegment arena, Draws draws);
}
