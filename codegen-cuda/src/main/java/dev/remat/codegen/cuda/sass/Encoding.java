package dev.remat.codegen.cuda.sass;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How instructions lie in 16 bytes. The low twelve bits of the first word say what is done and the next four on what
 * condition; bits 41 to 44 of the second word hold the stall count, bits 9 to 11 the width of a memory access. Vendors
 * document none of this; it was found by compiling known texts and holds in all kernels that remat builds.
 */
public enum Encoding {
    /** sm_80 to sm_89: a branch's distance has one field. */
    AMPERE,
    /** From sm_90 on its low eight bits lie apart. */
    HOPPER;

    static final int BYTES = 16;

    private static final int ALWAYS = 7;
    private static final int FIRST_HOPPER = 90;

    /** @param architecture as compilers name it: {@code sm_90a} */
    public static Encoding of(String architecture) {
        int number = Integer.parseInt(architecture.replaceAll("[^0-9]", ""));
        return number >= FIRST_HOPPER ? HOPPER : AMPERE;
    }

    List<Instruction> decode(ByteBuffer text) {
        int count = text.limit() / BYTES;
        List<Instruction> instructions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            instructions.add(decode(i, count, text.getLong(i * BYTES), text.getLong(i * BYTES + 8)));
        }
        return instructions;
    }

    private Instruction decode(int index, int count, long low, long high) {
        Opcode opcode = Opcode.of((int) (low & 0xfff));
        boolean guarded = (low >>> 12 & 15) != ALWAYS || opcode == Opcode.BRA && (high >>> 23 & 15) != ALWAYS;
        int target = Instruction.NOWHERE;
        if (opcode == Opcode.BRA) {
            long to = index + 1 + distance(low, high) / BYTES;
            target = to >= 0 && to < count ? (int) to : Instruction.NOWHERE;
        }
        return new Instruction(opcode, (int) (high >>> 41 & 15), bytes(opcode, high), guarded, target, low);
    }

    /** Bytes from the end of a branch to where it leads. */
    private long distance(long low, long high) {
        long field = low >>> 34 | (high & 0x3ffff) << 30;
        long signed = field << 16 >> 16;
        return 4 * (this == AMPERE ? signed : signed << 8 | low >>> 16 & 0xff);
    }

    private static int bytes(Opcode opcode, long high) {
        if (!opcode.accessesMemory()) {
            return 0;
        }
        if (opcode == Opcode.LDSM) {
            return 4 << (high >>> 8 & 3);
        }
        return switch ((int) (high >>> 9 & 7)) {
            case 0, 1 -> 1;
            case 2, 3 -> 2;
            case 5 -> 8;
            case 6 -> 16;
            default -> 4;
        };
    }
}
