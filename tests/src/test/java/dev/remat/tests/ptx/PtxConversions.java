package dev.remat.tests.ptx;

import dev.remat.tests.ptx.PtxScalars.Scalar;

/** {@code cvt}, from the manual: NaN becomes the canonical one of its format. */
final class PtxConversions {
    private static final long NAN_F32 = 0x7fffffffL;

    private PtxConversions() {}

    static long bits(float x) {
        return Float.isNaN(x) ? NAN_F32 : Float.floatToRawIntBits(x) & 0xffffffffL;
    }

    static Scalar of(PtxInstruction instruction) {
        String opcode = instruction.opcode();
        return switch (opcode) {
            case "cvt.rn.bf16.f32" -> (a, b, c, d) -> toBf16(a);
            case "cvt.rn.bf16x2.f32" -> (a, b, c, d) -> toBf16(a) << 16 | toBf16(b);
            case "cvt.rn.f16.f32" -> (a, b, c, d) -> toF16(a);
            case "cvt.rn.f16x2.f32" -> (a, b, c, d) -> toF16(a) << 16 | toF16(b);
            case "cvt.rna.tf32.f32" -> (a, b, c, d) -> toTf32(a);
            case "cvt.f32.f16" -> (a, b, c, d) -> bits(Float.float16ToFloat((short) a));
            default -> plain(instruction);
        };
    }

    private static Scalar plain(PtxInstruction instruction) {
        String[] parts = instruction.opcode().split("\\.");
        PtxType from = PtxType.of(parts[parts.length - 1]);
        PtxType to = PtxType.of(parts[parts.length - 2]);
        boolean fromReal = from.kind() == PtxType.Kind.FLOAT;
        boolean toReal = to.kind() == PtxType.Kind.FLOAT;
        boolean exact = parts.length == 3;
        if (!fromReal && !toReal && exact) {
            return (a, b, c, d) -> from.number(a);
        }
        if (fromReal && toReal && exact && from.bits() == 32 && to.bits() == 64) {
            return (a, b, c, d) -> Double.doubleToRawLongBits(Float.intBitsToFloat((int) a));
        }
        if (fromReal && toReal && parts[1].equals("rn") && from.bits() == 64 && to.bits() == 32) {
            return (a, b, c, d) -> bits((float) Double.longBitsToDouble(a));
        }
        if (!fromReal && toReal && parts[1].equals("rn") && (from.bits() < 64 || from.kind() == PtxType.Kind.SIGNED)) {
            return to.bits() == 32
                    ? (a, b, c, d) -> bits((float) from.number(a))
                    : (a, b, c, d) -> Double.doubleToRawLongBits((double) from.number(a));
        }
        if (fromReal && parts[1].equals("rzi") && to.kind() == PtxType.Kind.SIGNED) {
            return to.bits() == 32
                    ? (a, b, c, d) -> (int) PtxScalars.real(from, a)
                    : (a, b, c, d) -> (long) PtxScalars.real(from, a);
        }
        if (fromReal && toReal && parts[1].equals("rmi") && from.bits() == to.bits()) {
            return from.bits() == 32
                    ? (a, b, c, d) -> bits((float) Math.floor(Float.intBitsToFloat((int) a)))
                    : (a, b, c, d) -> Double.doubleToRawLongBits(Math.floor(Double.longBitsToDouble(a)));
        }
        throw PtxScalars.unknown(instruction);
    }

    private static boolean isNaN(long bits) {
        return Float.isNaN(Float.intBitsToFloat((int) bits));
    }

    /** To nearest, ties to even. */
    static long toBf16(long bits) {
        long word = bits & 0xffffffffL;
        return isNaN(bits) ? 0x7fff : word + 0x7fff + (word >> 16 & 1) >> 16;
    }

    private static long toF16(long bits) {
        return isNaN(bits) ? 0x7fff : Short.toUnsignedLong(Float.floatToFloat16(Float.intBitsToFloat((int) bits)));
    }

    /** To nearest, ties away from zero; the low bits are zero. */
    private static long toTf32(long bits) {
        long word = bits & 0xffffffffL;
        if (isNaN(bits)) {
            return NAN_F32;
        }
        return (word & 0x7fffffff) == 0x7f800000 ? word : word + 0x1000 & 0xffffe000L;
    }
}
