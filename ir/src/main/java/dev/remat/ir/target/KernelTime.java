package dev.remat.ir.target;

import dev.remat.ir.DType;

/**
 * How long a kernel took.
 *
 * @param key {@link KernelSignature#key}
 * @param family {@link KernelSignature#family}
 * @param dtype what most of its arithmetic is done in
 * @param flops its floating point operations
 * @param bytes memory it reads and writes
 * @param count how often it ran in the step that was measured
 * @param nanos median over all its runs
 */
public record KernelTime(String key, String family, DType dtype, long flops, long bytes, int count, long nanos) {
    public KernelTime {
        if (flops < 0 || bytes < 0 || nanos < 0) {
            throw new IllegalArgumentException("flops, bytes and nanos must not be negative");
        }
        if (count < 1) {
            throw new IllegalArgumentException("a kernel that was measured ran at least once");
        }
    }

    /** @param work what the kernel does */
    public static KernelTime of(KernelWork work, int count, long nanos) {
        KernelSignature signature = work.signature();
        return new KernelTime(
                signature.key(), signature.family(), signature.dtype(), work.flops(), work.bytes(), count, nanos);
    }
}
