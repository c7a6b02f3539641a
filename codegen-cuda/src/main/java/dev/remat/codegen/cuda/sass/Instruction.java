package dev.remat.codegen.cuda.sass;

/**
 * One machine instruction of 16 bytes.
 *
 * @param stall cycles that its warp waits before its next instruction, by the compiler's schedule
 * @param bytes that a thread moves, if it moves any; those of a warp's lane for {@link Opcode#LDSM}
 * @param conditional whether what follows may run next, too, although it branches or ends
 * @param target number of the instruction that a {@link Opcode#BRA} leads to; {@link #NOWHERE} for others, and for one
 *     that leads out of the kernel
 * @param word its first eight bytes, which hold registers and offsets
 */
public record Instruction(Opcode opcode, int stall, int bytes, boolean conditional, int target, long word) {
    public static final int NOWHERE = -1;

    /** Register of a memory access that its address is counted from. */
    public int base() {
        return (int) (word >>> 24 & 0xff);
    }

    /** What a memory access adds to that, in bytes. */
    public long address() {
        return word >> 40;
    }
}
