package dev.remat.runtime.cpu;

import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Where the kernels of one training step run.
 *
 * @param randomBits of this training step and micro-batch
 */
record Frame(WorkerPool pool, MemorySegment arena, RandomBits randomBits) {}
