package dev.remat.ir.target;

import dev.remat.ir.execution.KernelBody;

/**
 * What a cost model prices.
 *
 * @param flops floating point operations of all operations in the kernel
 * @param bytes memory read and written
 */
public record KernelWork(KernelSignature signature, long flops, long bytes) {
    public KernelWork {
        if (flops < 0 || bytes < 0) {
            throw new IllegalArgumentException("work of " + signature.key() + " must not be negative");
        }
    }

    public static KernelWork of(KernelBody body) {
        return new KernelWork(new KernelSignature(body), body.flops(), body.bytes());
    }
}
