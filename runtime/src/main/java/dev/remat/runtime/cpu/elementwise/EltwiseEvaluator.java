package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Instruction;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A program with a register for every value; a register is used again after the last read of its value. */
public final class EltwiseEvaluator {
    private final EltwiseProgram program;
    private final List<EltwiseStep> steps = new ArrayList<>();
    private final int[] registerOf;
    private final RegisterFile floats = new RegisterFile();
    private final RegisterFile doubles = new RegisterFile();
    private final RegisterFile longs = new RegisterFile();

    public EltwiseEvaluator(EltwiseProgram program) {
        this.program = program;
        int inputs = program.inputs().size();
        registerOf = new int[program.values()];
        int[] lastRead = lastReads(program);
        for (int value = 0; value < inputs; value++) {
            registerOf[value] = fileOf(program.typeOf(value)).take();
        }
        for (int i = 0; i < program.instructions().size(); i++) {
            Instruction instruction = program.instructions().get(i);
            List<Integer> operands = instruction.operands();
            // The result's register is taken before the operands' are given back: no operation writes what it reads.
            int value = inputs + i;
            registerOf[value] = fileOf(instruction.type()).take();
            steps.add(new EltwiseStep(
                    instruction,
                    operands.isEmpty() ? instruction.type() : operandType(instruction),
                    registerOf[value],
                    registerOf(operands, 0),
                    registerOf(operands, 1),
                    registerOf(operands, 2)));
            for (int operand : operands.stream().distinct().toList()) {
                if (lastRead[operand] == i) {
                    fileOf(program.typeOf(operand)).giveBack(registerOf[operand]);
                }
            }
            if (lastRead[value] < 0) {
                fileOf(instruction.type()).giveBack(registerOf[value]);
            }
        }
    }

    private DType operandType(Instruction instruction) {
        return program.typeOf(instruction.operands().getFirst());
    }

    private int registerOf(List<Integer> operands, int index) {
        return index < operands.size() ? registerOf[operands.get(index)] : -1;
    }

    /** The register in which a value that is an input or an output is found. */
    public int registerOf(int value) {
        return registerOf[value];
    }

    /** Brings positions {@code start} to {@code start + n} of input {@code index} into its register. */
    public void load(int index, MemorySegment arena, TensorView from, long start, int n, Scratch scratch) {
        StridedRuns.load(arena, program.inputs().get(index), from, start, n, registerOf[index], scratch);
    }

    /** Writes positions {@code start} to {@code start + n} of output {@code index}. */
    void store(int index, MemorySegment arena, TensorView to, long start, int n, Scratch scratch) {
        StridedRuns.store(arena, to, start, n, registerOf[program.outputs().get(index)], scratch);
    }

    /** Makes room for the program's registers. */
    public void prepare(Scratch scratch) {
        scratch.registers.ensure(floats.size, doubles.size, longs.size);
    }

    /** Runs all instructions on {@code n} elements whose inputs have been loaded. */
    public void run(Scratch scratch, RandomBits randomBits, int n) {
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).run(scratch.registers, randomBits, n);
        }
    }

    private RegisterFile fileOf(DType type) {
        return switch (type) {
            case F32, BF16, F16 -> floats;
            case F64 -> doubles;
            case I32, I64, BOOL, BIT, SEED -> longs;
        };
    }

    private static int[] lastReads(EltwiseProgram program) {
        int[] last = new int[program.values()];
        Arrays.fill(last, -1);
        for (int i = 0; i < program.instructions().size(); i++) {
            for (int operand : program.instructions().get(i).operands()) {
                last[operand] = i;
            }
        }
        for (int output : program.outputs()) {
            last[output] = Integer.MAX_VALUE;
        }
        return last;
    }

    private static final class RegisterFile {
        private final List<Integer> free = new ArrayList<>();
        private int size;

        int take() {
            return free.isEmpty() ? size++ : free.removeLast();
        }

        void giveBack(int register) {
            free.add(register);
        }
    }
}
