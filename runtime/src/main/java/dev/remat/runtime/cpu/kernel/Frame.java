package dev.remat.runtime.cpu.kernel;

import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.WorkerPool;
import dev.remat.runtime.ranks.ExchangesUnderWay;
import java.lang.foreign.MemorySegment;

/**
 * Where the kernels of one training step run.
 *
 * @param randomBits of this training step and micro-batch
 * @param exchanges with other ranks
 */
public record Frame(WorkerPool pool, MemorySegment arena, RandomBits randomBits, ExchangesUnderWay exchanges) {}
