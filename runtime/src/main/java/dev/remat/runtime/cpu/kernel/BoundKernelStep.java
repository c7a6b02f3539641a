package dev.remat.runtime.cpu.kernel;

/** A step of a plan with its kernel and all addresses resolved. */
@FunctionalInterface
public interface BoundKernelStep {
    void run(Frame frame);
}
