package dev.remat.codegen.cuda.sass;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an instruction does, as far as costs depend on it: the low twelve bits of its first word, of which the upper
 * three tell where operands come from. The codes are those of Ampere to Blackwell, found by compiling.
 */
public enum Opcode {
    /** A product of fragments on tensor cores, by a warp. */
    HMMA(0x23c),
    /** A product of 64 x 128 by 16 terms straight from shared memory, by four warps, which go on. */
    HGMMA(0x9f0),
    /** Fragments from shared memory. */
    LDSM(0x83b),
    /** From global to shared memory, without waiting. */
    LDGSTS(0xfae),
    LDG(0x981),
    STG(0x986),
    LDS(0x984),
    STS(0x388, 0x988),
    /** Spills: from and to a thread's own memory. */
    LDL(0x983),
    STL(0x387, 0x987),
    LDC(0xb82),
    FADD(0x221, 0x421, 0x821, 0xa21, 0xc21),
    FMUL(0x220, 0x420, 0x820, 0xa20, 0xc20),
    FFMA(0x223, 0x423, 0x823, 0xa23, 0xc23),
    DADD(0x229, 0x429, 0x829, 0xa29, 0xc29),
    DMUL(0x228, 0x428, 0x828, 0xa28, 0xc28),
    DFMA(0x22b, 0x42b, 0x82b, 0xa2b, 0xc2b),
    /** A reciprocal, root, exponential or logarithm of few bits. */
    MUFU(0x308, 0x108, 0x908, 0xb08),
    SHFL(0x389, 0x589, 0x989, 0xf89),
    BAR(0xb1d),
    /** Marks where threads that part meet again, and waits for them there. */
    BSSY(0x945),
    BSYNC(0x941),
    BRA(0x947),
    /** Jumps to what a register says. */
    BRX(0x949),
    JMX(0x94c),
    CALL(0x944, 0x943),
    RET(0x950),
    EXIT(0x94d),
    NOP(0x918),
    OTHER();

    /** Apart from the constants, which are made before it. */
    private static final class Codes {
        private static final Map<Integer, Opcode> BY_CODE = new LinkedHashMap<>();

        static {
            for (Opcode opcode : values()) {
                for (int code : opcode.codes) {
                    BY_CODE.put(code, opcode);
                }
            }
        }
    }

    private final int[] codes;

    Opcode(int... codes) {
        this.codes = codes;
    }

    static Opcode of(int code) {
        return Codes.BY_CODE.getOrDefault(code, OTHER);
    }

    /** Whether a whole warp's threads carry it out together. */
    public boolean isOfWarp() {
        return this == HMMA || this == HGMMA;
    }

    /** Additions and multiplications of one thread; of a whole warp where that carries it out. */
    public int flops() {
        return switch (this) {
            case HMMA -> 2 * 16 * 8 * 16;
            case HGMMA -> 2 * 16 * 128 * 16;
            case FFMA, DFMA -> 2;
            case FADD, FMUL, DADD, DMUL -> 1;
            default -> 0;
        };
    }

    /** Whether a thread moves bytes by it. */
    boolean accessesMemory() {
        return switch (this) {
            case LDG, STG, LDS, STS, LDL, STL, LDGSTS, LDSM -> true;
            default -> false;
        };
    }

    /** Whether another instruction than the next may follow. */
    boolean endsBlock() {
        return switch (this) {
            case BRA, BRX, JMX, RET, EXIT -> true;
            default -> false;
        };
    }
}
