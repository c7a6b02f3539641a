package dev.remat.runtime.cpu.elementwise;

/** Functions of integers and of booleans (0 or 1); overflow wraps, division by zero gives 0. */
final class IntegerFunctions {
    private IntegerFunctions() {}

    static long apply(EltwiseProgram.Instruction instruction, long x, long y, long z) {
        return switch (instruction.primitive()) {
            case CONSTANT -> (long) instruction.first();
            case IOTA -> (long) instruction.first() + ((long) instruction.second()) * x;
            case TABLE -> instruction.table().get((int) x).longValue();
            case NEG -> -x;
            case ABS -> Math.abs(x);
            case SIGN -> Long.signum(x);
            case RELU -> Math.max(x, 0);
            case CLAMP -> Math.min((long) instruction.second(), Math.max((long) instruction.first(), x));
            case NOT -> x == 0 ? 1 : 0;
            case ADD -> x + y;
            case SUB -> x - y;
            case MUL -> x * y;
            case DIV -> y == 0 ? 0 : x / y;
            case FLOORDIV -> y == 0 ? 0 : Math.floorDiv(x, y);
            case REMAINDER -> y == 0 ? 0 : Math.floorMod(x, y);
            case FMOD -> y == 0 ? 0 : x % y;
            case MIN -> Math.min(x, y);
            case MAX -> Math.max(x, y);
            case EQ -> x == y ? 1 : 0;
            case NE -> x != y ? 1 : 0;
            case LT -> x < y ? 1 : 0;
            case LE -> x <= y ? 1 : 0;
            case GT -> x > y ? 1 : 0;
            case GE -> x >= y ? 1 : 0;
            case AND -> x & y;
            case OR -> x | y;
            case WHERE -> x != 0 ? y : z;
            default -> throw new IllegalArgumentException("not a function of integers: " + instruction.primitive());
        };
    }
}
