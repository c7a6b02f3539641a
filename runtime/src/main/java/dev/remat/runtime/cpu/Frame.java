package dev.remat.runtime.cpu;

import dev.remat.runtime.cpu.support.Draws;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Where the kernels of one training step run.
 *
 * @param draws random words of this step
 */
record Frame(WorkerPool pool, MemorySegment arena, Draws draws) {}
