package dev.remat.runtime.cuda;

/**
 * A GPU that the driver offers.
 *
 * @param architecture as CUDA names it: {@code sm_90}
 */
public record Gpu(String name, String architecture, long memoryBytes) {}
