package dev.remat.ir.artifact;

/** How much shared memory a block may have, as CUDA's programming guide tells of each compute capability. */
public final class SharedMemory {
    private static final int KIBIBYTE = 1024;

    private SharedMemory() {}

    /**
     * Bytes of a block at most, static and dynamic together.
     *
     * @param architecture as compilers name it: {@code sm_90a}
     */
    public static int mostOfBlock(String architecture) {
        return KIBIBYTE
                * switch (Integer.parseInt(architecture.replaceAll("[^0-9]", ""))) {
                    case 75 -> 64;
                    case 80, 87 -> 163;
                    case 86, 89, 120, 121 -> 99;
                    default -> 227;
                };
    }
}
