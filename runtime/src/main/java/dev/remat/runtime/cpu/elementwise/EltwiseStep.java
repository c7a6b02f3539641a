package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Instruction;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.FloatFunctions;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Registers;
import dev.remat.runtime.cpu.support.SixteenBit;
import java.util.Arrays;

/**
 * One instruction of a program with registers assigned. A register is an array: of floats for f32 and the 16-bit
 * floats, doubles for f64, longs for integers and booleans.
 */
record EltwiseStep(Instruction instruction, DType operandType, int out, int a, int b, int c) {

    void run(Registers registers, RandomBits randomBits, int n) {
        switch (instruction.type()) {
            case F32, BF16, F16 -> {
                float[] to = registers.floats[out];
                toFloats(registers, randomBits, to, n);
                SixteenBit.round(instruction.type(), to, n);
            }
            case F64 -> toDoubles(registers, randomBits, registers.doubles[out], n);
            case I32, I64, BOOL -> toLongs(registers, randomBits, registers.longs[out], n);
            case BIT, SEED -> throw new IllegalArgumentException("the CPU computes no " + instruction.type());
        }
    }

    private void toFloats(Registers registers, RandomBits randomBits, float[] to, int n) {
        float[][] r = registers.floats;
        FloatFunctions functions = registers.functions;
        switch (instruction.primitive()) {
            case CONSTANT -> Arrays.fill(to, 0, n, (float) instruction.first());
            case IOTA -> {
                for (int i = 0; i < n; i++) {
                    to[i] = (float) Math.fma(instruction.second(), registers.longs[a][i], instruction.first());
                }
            }
            case TABLE -> {
                for (int i = 0; i < n; i++) {
                    to[i] = instruction.table().get((int) registers.longs[a][i]).floatValue();
                }
            }
            case DRAW_UNIFORM -> draws(randomBits).uniform(instruction.type(), registers.longs[a], to, n);
            case DRAW_NORMAL -> draws(randomBits).normal(registers.longs[a], to, n, registers);
            case CAST -> castToFloats(registers, to, n);
            case NEG -> FloatArithmetic.neg(r[a], to, n);
            case ABS -> FloatArithmetic.abs(r[a], to, n);
            case SIGN -> FloatArithmetic.sign(r[a], to, n);
            case FLOOR -> FloatArithmetic.floor(r[a], to, n);
            case SQRT -> FloatArithmetic.sqrt(r[a], to, n);
            case RSQRT -> FloatArithmetic.rsqrt(r[a], to, n);
            case EXP -> functions.exp(r[a], to, n);
            case LOG -> functions.log(r[a], to, n);
            case SIGMOID -> functions.sigmoid(r[a], to, n);
            case TANH -> functions.tanh(r[a], to, n);
            case ERF -> functions.erf(r[a], to, n);
            case CEIL -> FloatArithmetic.ceil(r[a], to, n);
            case ROUND -> FloatArithmetic.round(r[a], to, n);
            case TRUNC -> FloatArithmetic.trunc(r[a], to, n);
            case RECIPROCAL -> FloatArithmetic.reciprocal(r[a], to, n);
            case EXPM1 -> functions.expm1(r[a], to, n);
            case EXP2 -> functions.exp2(r[a], to, n);
            case LOG1P -> functions.log1p(r[a], to, n);
            case LOG2 -> functions.log2(r[a], to, n);
            case LOG10 -> functions.log10(r[a], to, n);
            case SIN -> functions.sin(r[a], to, n);
            case COS -> functions.cos(r[a], to, n);
            case TAN -> functions.tan(r[a], to, n);
            case ASIN -> functions.asin(r[a], to, n);
            case ACOS -> functions.acos(r[a], to, n);
            case ATAN -> functions.atan(r[a], to, n);
            case SINH -> functions.sinh(r[a], to, n);
            case COSH -> functions.cosh(r[a], to, n);
            case ASINH -> functions.asinh(r[a], to, n);
            case ACOSH -> functions.acosh(r[a], to, n);
            case ATANH -> functions.atanh(r[a], to, n);
            case RELU -> FloatArithmetic.relu(r[a], to, n);
            case LEAKY_RELU -> FloatArithmetic.leakyRelu(r[a], (float) instruction.first(), to, n);
            case GELU -> functions.gelu(r[a], to, n);
            case GELU_TANH -> functions.geluTanh(r[a], to, n);
            case SILU -> functions.silu(r[a], to, n);
            case SOFTPLUS -> functions.softplus(r[a], to, n);
            case CLAMP -> FloatArithmetic.clamp(r[a], (float) instruction.first(), (float) instruction.second(), to, n);
            case ADD -> FloatArithmetic.add(r[a], r[b], to, n);
            case SUB -> FloatArithmetic.sub(r[a], r[b], to, n);
            case MUL -> FloatArithmetic.mul(r[a], r[b], to, n);
            case DIV -> FloatArithmetic.div(r[a], r[b], to, n);
            case MIN -> FloatArithmetic.min(r[a], r[b], to, n);
            case MAX -> FloatArithmetic.max(r[a], r[b], to, n);
            case POW -> FloatArithmetic.pow(r[a], r[b], to, n);
            case FLOORDIV, REMAINDER, FMOD, ATAN2 -> FloatArithmetic.binary(instruction.primitive(), r[a], r[b], to, n);
            case GELU_GRAD -> functions.geluGradient(r[a], r[b], to, n);
            case GELU_TANH_GRAD -> functions.geluTanhGradient(r[a], r[b], to, n);
            case SILU_GRAD -> functions.siluGradient(r[a], r[b], to, n);
            case SOFTPLUS_GRAD -> functions.softplusGradient(r[a], r[b], to, n);
            case DROPOUT -> dropout(randomBits).apply(r[a], registers.longs[b], to, n, registers);
            case WHERE -> registers.bits.where(registers.longs[a], r[b], r[c], to, n);
            case NOT, EQ, NE, LT, LE, GT, GE, AND, OR, WHOLE_INDEX, DRAW_INTEGER -> throw mismatch();
        }
    }

    private void toDoubles(Registers registers, RandomBits randomBits, double[] to, int n) {
        double[][] r = registers.doubles;
        Primitive primitive = instruction.primitive();
        switch (primitive) {
            case CONSTANT -> Arrays.fill(to, 0, n, instruction.first());
            case IOTA -> {
                for (int i = 0; i < n; i++) {
                    to[i] = Math.fma(instruction.second(), registers.longs[a][i], instruction.first());
                }
            }
            case TABLE -> {
                for (int i = 0; i < n; i++) {
                    to[i] = instruction.table().get((int) registers.longs[a][i]);
                }
            }
            case DRAW_UNIFORM -> draws(randomBits).uniform(registers.longs[a], to, n);
            case DRAW_NORMAL -> draws(randomBits).normal(registers.longs[a], to, n);
            case CAST -> castToDoubles(registers, to, n);
            case DROPOUT -> dropout(randomBits).apply(r[a], registers.longs[b], to, n, registers);
            case WHERE -> {
                for (int i = 0; i < n; i++) {
                    to[i] = registers.longs[a][i] != 0 ? r[b][i] : r[c][i];
                }
            }
            default -> {
                if (primitive.form() == Primitive.Form.UNARY) {
                    for (int i = 0; i < n; i++) {
                        to[i] = DoubleFunctions.unary(instruction, r[a][i]);
                    }
                } else if (primitive.form() == Primitive.Form.BINARY) {
                    for (int i = 0; i < n; i++) {
                        to[i] = DoubleFunctions.binary(primitive, r[a][i], r[b][i]);
                    }
                } else {
                    throw mismatch();
                }
            }
        }
    }

    private void toLongs(Registers registers, RandomBits randomBits, long[] to, int n) {
        long[][] r = registers.longs;
        Primitive primitive = instruction.primitive();
        if (primitive == Primitive.CAST) {
            castToLongs(registers, to, n);
        } else if (primitive == Primitive.DRAW_INTEGER) {
            draws(randomBits).integers((long) instruction.first(), r[a], to, n);
        } else if (primitive == Primitive.WHOLE_INDEX) {
            WholeIndex.of(instruction, randomBits).count(r[a], to, n);
        } else if (primitive.isComparison() && operandType == DType.F64) {
            for (int i = 0; i < n; i++) {
                to[i] = DoubleFunctions.compare(primitive, registers.doubles[a][i], registers.doubles[b][i]) ? 1 : 0;
            }
        } else if (primitive.isComparison() && operandType.isFloat()) {
            FloatArithmetic.compare(primitive, registers.floats[a], registers.floats[b], to, n, registers.bits);
        } else {
            for (int i = 0; i < n; i++) {
                long x = primitive.arity() > 0 ? r[a][i] : 0;
                long y = primitive.arity() > 1 ? r[b][i] : 0;
                long z = primitive.arity() > 2 ? r[c][i] : 0;
                long value = IntegerFunctions.apply(instruction, x, y, z);
                to[i] = instruction.type() == DType.I32 ? (int) value : value;
            }
        }
    }

    private void castToFloats(Registers registers, float[] to, int n) {
        switch (operandType) {
            case F32, BF16, F16 -> System.arraycopy(registers.floats[a], 0, to, 0, n);
            case F64 -> Elements.narrow(registers.doubles[a], 0, to, 0, n);
            case I32, I64, BOOL, BIT, SEED -> {
                for (int i = 0; i < n; i++) {
                    to[i] = registers.longs[a][i];
                }
            }
        }
    }

    private void castToDoubles(Registers registers, double[] to, int n) {
        switch (operandType) {
            case F32, BF16, F16 -> Elements.widen(registers.floats[a], 0, to, 0, n);
            case F64 -> System.arraycopy(registers.doubles[a], 0, to, 0, n);
            case I32, I64, BOOL, BIT, SEED -> {
                for (int i = 0; i < n; i++) {
                    to[i] = registers.longs[a][i];
                }
            }
        }
    }

    /** Floats are cut towards zero and NaN is 0, as Java casts; a boolean is whether the value differs from 0. */
    private void castToLongs(Registers registers, long[] to, int n) {
        DType type = instruction.type();
        for (int i = 0; i < n; i++) {
            switch (operandType) {
                case F32, BF16, F16, F64 -> {
                    double x = operandType == DType.F64 ? registers.doubles[a][i] : registers.floats[a][i];
                    to[i] = type == DType.BOOL ? x != 0 ? 1 : 0 : type == DType.I32 ? (int) x : (long) x;
                }
                case I32, I64, BOOL, BIT, SEED -> {
                    long x = registers.longs[a][i];
                    to[i] = type == DType.BOOL ? x != 0 ? 1 : 0 : type == DType.I32 ? (int) x : x;
                }
            }
        }
    }

    private RandomDraws draws(RandomBits randomBits) {
        return new RandomDraws(randomBits, (int) instruction.second());
    }

    private DropoutMask dropout(RandomBits randomBits) {
        return new DropoutMask(randomBits, (int) instruction.second(), instruction.first());
    }

    private IllegalArgumentException mismatch() {
        return new IllegalArgumentException(instruction.primitive() + " has no result of dtype " + instruction.type());
    }
}
