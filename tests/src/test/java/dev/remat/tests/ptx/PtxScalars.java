package dev.remat.tests.ptx;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** Instructions that make one number of one lane's numbers: bits in, bits out. */
final class PtxScalars {
    /** The result of up to four operands; what is not there is zero. */
    interface Scalar {
        long of(long a, long b, long c, long d);
    }

    /** What instructions give that do not pass a NaN on. */
    private static final long CANONICAL_NAN = 0x7fffffffL;

    private PtxScalars() {}

    /** @throws PtxException if the opcode is none of these */
    static Scalar of(PtxInstruction instruction) {
        String[] parts = instruction.opcode().split("\\.");
        PtxType type = instruction.type();
        return switch (parts[0]) {
            case "mov", "cvta" -> (a, b, c, d) -> a;
            case "selp" -> (a, b, c, d) -> c != 0 ? a : b;
            case "setp" -> compare(instruction, parts[1], type);
            case "cvt" -> PtxConversions.of(instruction);
            case "and" -> (a, b, c, d) -> a & b;
            case "or" -> (a, b, c, d) -> a | b;
            case "xor" -> (a, b, c, d) -> a ^ b;
            case "not" -> (a, b, c, d) -> type.bits() == 1 ? a ^ 1 : ~a;
            case "popc" -> (a, b, c, d) -> Long.bitCount(type.number(a));
            case "shl" -> (a, b, c, d) -> b >= type.bits() ? 0 : a << b;
            case "shr" -> (a, b, c, d) -> shiftRight(type, a, b & 0xffffffffL);
            case "bfi" -> (a, b, c, d) -> insert(a, b, (int) c, (int) d);
            default -> type.kind() == PtxType.Kind.FLOAT ? real(instruction, parts[0]) : whole(instruction, parts);
        };
    }

    private static long shiftRight(PtxType type, long a, long by) {
        long number = type.number(a);
        if (by >= type.bits()) {
            return type.kind() == PtxType.Kind.SIGNED && number < 0 ? -1 : 0;
        }
        return type.kind() == PtxType.Kind.SIGNED ? number >> by : number >>> by;
    }

    private static long insert(long field, long base, int position, int length) {
        long mask = PtxType.mask(length) << position;
        return base & ~mask | field << position & mask;
    }

    private static Scalar compare(PtxInstruction instruction, String how, PtxType type) {
        if (type.kind() == PtxType.Kind.FLOAT) {
            return (a, b, c, d) -> {
                double x = real(type, a);
                double y = real(type, b);
                boolean unordered = Double.isNaN(x) || Double.isNaN(y);
                boolean holds = switch (how) {
                    case "eq" -> x == y;
                    case "ne" -> !unordered && x != y;
                    case "lt" -> x < y;
                    case "le" -> x <= y;
                    case "gt" -> x > y;
                    case "ge" -> x >= y;
                    case "equ" -> unordered || x == y;
                    case "neu" -> unordered || x != y;
                    case "ltu" -> unordered || x < y;
                    case "leu" -> unordered || x <= y;
                    case "gtu" -> unordered || x > y;
                    case "geu" -> unordered || x >= y;
                    case "nan" -> unordered;
                    case "num" -> !unordered;
                    default -> throw unknown(instruction);
                };
                return holds ? 1 : 0;
            };
        }
        return (a, b, c, d) -> {
            long x = type.number(a);
            long y = type.number(b);
            int order = type.kind() == PtxType.Kind.SIGNED ? Long.compare(x, y) : Long.compareUnsigned(x, y);
            boolean holds = switch (how) {
                case "eq" -> order == 0;
                case "ne" -> order != 0;
                case "lt" -> order < 0;
                case "le" -> order <= 0;
                case "gt" -> order > 0;
                case "ge" -> order >= 0;
                default -> throw unknown(instruction);
            };
            return holds ? 1 : 0;
        };
    }

    static double real(PtxType type, long bits) {
        return type.bits() == 32 ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
    }

    /** Arithmetic of floats must say that it rounds to nearest, and never flush. */
    private static Scalar real(PtxInstruction instruction, String name) {
        boolean narrow = instruction.type().bits() == 32;
        boolean rounds = instruction.has("rn");
        if (instruction.has("ftz") && !name.equals("ex2")) {
            throw unknown(instruction);
        }
        return switch (name) {
            case "abs" -> bits(narrow, bits -> bits & PtxType.mask(narrow ? 31 : 63));
            case "neg" -> bits(narrow, bits -> bits ^ 1L << (narrow ? 31 : 63));
            case "min", "max" -> {
                boolean most = name.equals("max");
                boolean keepsNan = instruction.has("NaN");
                yield (a, b, c, d) -> {
                    double x = real(instruction.type(), a);
                    double y = real(instruction.type(), b);
                    double larger = most ? Math.max(x, y) : Math.min(x, y);
                    double chosen = keepsNan || Double.isNaN(x) == Double.isNaN(y) ? larger : Double.isNaN(x) ? y : x;
                    if (narrow) {
                        return Double.isNaN(chosen)
                                ? CANONICAL_NAN
                                : Float.floatToRawIntBits((float) chosen) & 0xffffffffL;
                    }
                    return Double.doubleToRawLongBits(chosen);
                };
            }
            case "ex2" -> {
                if (!instruction.opcode().equals("ex2.approx.ftz.f32")) {
                    throw unknown(instruction);
                }
                yield (a, b, c, d) -> PtxConversions.bits(PowerOfTwo.approximate(Float.intBitsToFloat((int) a)));
            }
            default -> {
                if (!rounds) {
                    throw unknown(instruction);
                }
                yield narrow ? narrow(instruction, name) : wide(instruction, name);
            }
        };
    }

    private static Scalar bits(boolean narrow, LongUnaryOperator operator) {
        return (a, b, c, d) -> operator.applyAsLong(narrow ? a & 0xffffffffL : a);
    }

    private interface FloatOperator {
        float of(float a, float b, float c);
    }

    private static Scalar narrow(PtxInstruction instruction, String name) {
        FloatOperator operator = switch (name) {
            case "add" -> (a, b, c) -> a + b;
            case "sub" -> (a, b, c) -> a - b;
            case "mul" -> (a, b, c) -> a * b;
            case "div" -> (a, b, c) -> a / b;
            case "rcp" -> (a, b, c) -> 1 / a;
            case "sqrt" -> (a, b, c) -> (float) Math.sqrt(a);
            case "fma" -> Math::fma;
            default -> throw unknown(instruction);
        };
        return (a, b, c, d) -> PtxConversions.bits(operator.of(
                Float.intBitsToFloat((int) a), Float.intBitsToFloat((int) b), Float.intBitsToFloat((int) c)));
    }

    private interface DoubleOperator {
        double of(double a, double b, double c);
    }

    private static Scalar wide(PtxInstruction instruction, String name) {
        DoubleOperator operator = switch (name) {
            case "add" -> (a, b, c) -> a + b;
            case "sub" -> (a, b, c) -> a - b;
            case "mul" -> (a, b, c) -> a * b;
            case "div" -> (a, b, c) -> a / b;
            case "rcp" -> (a, b, c) -> 1 / a;
            case "sqrt" -> (a, b, c) -> Math.sqrt(a);
            case "fma" -> Math::fma;
            default -> throw unknown(instruction);
        };
        return (a, b, c, d) -> Double.doubleToRawLongBits(
                operator.of(Double.longBitsToDouble(a), Double.longBitsToDouble(b), Double.longBitsToDouble(c)));
    }

    private static Scalar whole(PtxInstruction instruction, String[] parts) {
        PtxType type = instruction.type();
        boolean signed = type.kind() == PtxType.Kind.SIGNED;
        String name = parts.length > 2 ? parts[0] + "." + parts[1] : parts[0];
        if (name.equals("mad.lo")) {
            return (a, b, c, d) -> a * b + c;
        }
        LongBinaryOperator operator = switch (name) {
            case "add" -> (a, b) -> a + b;
            case "sub" -> (a, b) -> a - b;
            case "mul.lo", "mul.wide" -> (a, b) -> a * b;
            case "mul.hi" -> (a, b) -> high(type, a, b);
            case "div" -> (a, b) -> signed ? a / b : Long.divideUnsigned(a, b);
            case "rem" -> (a, b) -> signed ? a % b : Long.remainderUnsigned(a, b);
            case "min" -> (a, b) -> isLess(signed, a, b) ? a : b;
            case "max" -> (a, b) -> isLess(signed, a, b) ? b : a;
            case "neg" -> (a, b) -> -a;
            case "abs" -> (a, b) -> Math.abs(a);
            default -> throw unknown(instruction);
        };
        return (a, b, c, d) -> operator.applyAsLong(type.number(a), type.number(b));
    }

    private static boolean isLess(boolean signed, long a, long b) {
        return (signed ? Long.compare(a, b) : Long.compareUnsigned(a, b)) < 0;
    }

    private static long high(PtxType type, long a, long b) {
        if (type.bits() == 64) {
            return type.kind() == PtxType.Kind.SIGNED ? Math.multiplyHigh(a, b) : Math.unsignedMultiplyHigh(a, b);
        }
        return a * b >>> type.bits();
    }

    static PtxException unknown(PtxInstruction instruction) {
        return new PtxException("unknown instruction: " + instruction.text());
    }
}
