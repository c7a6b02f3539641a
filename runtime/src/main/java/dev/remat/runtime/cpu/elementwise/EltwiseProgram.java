package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Straight-line elementwise code. Values are numbered: first the inputs, then the result of each instruction.
 *
 * @param inputs the tensors that are read
 * @param outputs the values that are written (or reduced)
 */
public record EltwiseProgram(List<Input> inputs, List<Instruction> instructions, List<Integer> outputs) {
    /** How an input becomes a value. */
    public enum Reading {
        /** The tensor's element. */
        ELEMENT,
        /** 1 / √(element + epsilon), computed once where the element is repeated along the innermost loop. */
        RECIPROCAL_ROOT,
        /** Where the element lies in a dense tensor, counted from 0 by the map's strides; reads no memory. */
        INDEX
    }

    /**
     * Something that is read.
     *
     * @param type dtype in memory; i64 for an index
     * @param epsilon what is added before a reciprocal root
     */
    public record Input(DType type, Reading reading, double epsilon) {
        public static Input element(DType type) {
            return new Input(type, Reading.ELEMENT, 0);
        }

        /** The dtype of the value that the program sees. */
        DType valueType() {
            return reading == Reading.RECIPROCAL_ROOT ? type.accumulator() : type;
        }
    }

    /**
     * One operation on earlier values.
     *
     * @param type dtype of the result
     * @param operands numbers of earlier values
     * @param first value of a constant, slope of a leaky relu, lower bound of a clamp, probability of a dropout,
     *     block of a whole index
     * @param second upper bound of a clamp, ordinal of a dropout or draw, pieces of a whole index
     * @param table what a table holds, or the piece that a whole index is of, where that is not the micro-batch's
     */
    public record Instruction(
            Primitive primitive, DType type, List<Integer> operands, double first, double second, List<Double> table) {
        public Instruction {
            operands = List.copyOf(operands);
            table = List.copyOf(table);
            if (operands.size() != primitive.arity()) {
                throw new IllegalArgumentException(primitive + " takes " + primitive.arity() + " operands");
            }
        }

        public Instruction(Primitive primitive, DType type, List<Integer> operands, double first, double second) {
            this(primitive, type, operands, first, second, List.of());
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
        return new EltwiseProgram(List.of(Input.element(type)), List.of(), List.of(0));
    }

    public int values() {
        return inputs.size() + instructions.size();
    }

    /** About how long an element takes, in reads of one. */
    int weight() {
        int operations = instructions.stream()
                .mapToInt(instruction -> instruction.primitive().weight())
                .sum();
        return inputs.size() + outputs.size() + operations;
    }

    public DType typeOf(int value) {
        return value < inputs.size()
                ? inputs.get(value).valueType()
                : instructions.get(value - inputs.size()).type();
    }

    /** Collects inputs first, then instructions. */
    public static final class Builder {
        private final List<Input> inputs = new ArrayList<>();
        private final List<Instruction> instructions = new ArrayList<>();

        public int input(DType type) {
            return input(Input.element(type));
        }

        public int input(Input input) {
            if (!instructions.isEmpty()) {
                throw new IllegalStateException("inputs come before instructions");
            }
            inputs.add(input);
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

        public DType typeOf(int value) {
            return value < inputs.size()
                    ? inputs.get(value).valueType()
                    : instructions.get(value - inputs.size()).type();
        }

        public EltwiseProgram build(Integer... outputs) {
            return new EltwiseProgram(inputs, instructions, List.of(outputs));
        }
    }
}
