package dev.remat.runtime.cpu;

import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Straight-line elementwise code. Values are numbered: first the inputs, then the result of each instruction.
 *
 * @param inputs the dtypes of the tensors that are read
 * @param outputs the values that are written (or reduced)
 */
public record EltwiseProgram(List<DType> inputs, List<Instruction> instructions, List<Integer> outputs) {
    /**
     * One operation on earlier values.
     *
     * @param type dtype of the result
     * @param operands numbers of earlier values
     * @param first parameter of {@link Primitive#CONSTANT}, {@link Primitive#LEAKY_RELU}, {@link Primitive#CLAMP}
     * @param second upper bound of {@link Primitive#CLAMP}
     */
    public record Instruction(Primitive primitive, DType type, List<Integer> operands, double first, double second) {
        public Instruction {
            operands = List.copyOf(operands);
            if (operands.size() != primitive.arity()) {
                throw new IllegalArgumentException(primitive + " takes " + primitive.arity() + " operands");
            }
        }
    }

    public EltwiseProgram {
        inputs = List.copyOf(inputs);
        instructions = List.copyOf(instructions);
        outputs = List.copyOf(outputs);
        for (int i = 0; i < instructions.size(); i++) {
            int limit = inputs.size() + i;
            if (instructions.get(i).operands().stream().anyMatch(operand -> operand < 0 || operand >= limit)) {
                throw new IllegalArgumentException("instruction " + i + " reads a value that comes later");
            }
        }
    }

    /** The program that hands its one input on. */
    public static EltwiseProgram copy(DType type) {
        return new EltwiseProgram(List.of(type), List.of(), List.of(0));
    }

    public int values() {
        return inputs.size() + instructions.size();
    }

    public DType typeOf(int value) {
        return value < inputs.size() ? inputs.get(value) : instructions.get(value - inputs.size()).type();
    }

    /** Collects inputs first, then instructions. */
    public static final class Builder {
        private final List<DType> inputs = new ArrayList<>();
        private final List<Instruction> instructions = new ArrayList<>();

        public int input(DType type) {
            if (!instructions.isEmpty()) {
                throw new IllegalStateException("inputs come before instructions");
            }
            inputs.add(type);
            return inputs.size() - 1;
        }

        public int apply(Primitive primitive, DType type, Integer... operands) {
            return add(new Instruction(primitive, type, List.of(operands), 0, 0));
        }

        public int constant(DType type, double value) {
            return add(new Instruction(Primitive.CONSTANT, type, List.of(), value, 0));
        }

        public int add(Instruction instruction) {
            instructions.add(instruction);
            return inputs.size() + instructions.size() - 1;
        }

        public EltwiseProgram build(Integer... outputs) {
            return new EltwiseProgram(inputs, instructions, List.of(outputs));
        }
    }
}
