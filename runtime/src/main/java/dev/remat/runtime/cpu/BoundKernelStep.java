package dev.remat.runtime.cpu;

/** A step of a plan with its kernel and all addresses resolved. */
@FunctionalInterface
interface BoundKernelStep {
    void run(Frame frame);
}
