package dev.remat.ir.artifact;

import java.util.List;

/**
 * One kernel launch. Several launches may belong to one step of the plan, and one to a run of updates, of which it
 * names the first; they run in the order of the list.
 *
 * @param step index of the step in the plan
 * @param kernel index in the table of kernels
 * @param sharedBytes dynamic shared memory of a block
 * @param arguments one slot of 64 bits a parameter, as {@link ParameterType} tells
 */
public record Launch(int step, int kernel, Extent3 grid, Extent3 block, int sharedBytes, List<Long> arguments) {
    public Launch {
        arguments = List.copyOf(arguments);
        if (step < 0 || kernel < 0 || sharedBytes < 0) {
            throw new IllegalArgumentException(
                    "launch of kernel " + kernel + " in step " + step + " with " + sharedBytes + " bytes");
        }
        if (grid == null || block == null) {
            throw new IllegalArgumentException("launch of kernel " + kernel + " without grid or block");
        }
    }
}
