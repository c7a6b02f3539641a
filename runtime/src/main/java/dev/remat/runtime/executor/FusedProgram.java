package dev.remat.runtime.executor;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Normalize;
import dev.remat.runtime.cpu.EltwiseProgram;
import dev.remat.runtime.cpu.EltwiseProgram.Input;
import dev.remat.runtime.cpu.EltwiseProgram.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The elementwise instructions of a step as one program over a box, and where its inputs lie.
 *
 * <p>Inputs are collected first, since a program names its inputs before its instructions: a read used as the variance
 * of a normalization becomes an input of its own, read as a reciprocal root.
 */
final class FusedProgram {
    /** Something that the program reads: a read of the step, the place of the anchor's result, or the index. */
    private record Source(int read, Reading reading, double epsilon) {}

    private static final int ANCHOR = -1;
    private static final int INDEX = -2;

    private final Step step;
    private final int[] box;
    private final int anchor;
    private final TensorType boxType;
    private final EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
    private final Map<Source, Integer> inputs = new LinkedHashMap<>();
    private final List<long[]> strides = new ArrayList<>();
    private final List<Long> offsets = new ArrayList<>();
    private final int[] values;

    /**
     * @param anchor index of the instruction that is not part of the program, or -1
     * @param boxType type over whose shape the program runs
     */
    FusedProgram(Step step, int anchor, TensorType boxType) {
        this.step = step;
        this.anchor = anchor;
        this.boxType = boxType;
        this.box = Extents.of(boxType.shape());
        this.values = new int[step.body().size()];
    }

    /** Translates every elementwise instruction; {@link #values} then knows the value of each. */
    void translate(long anchorOffset) {
        for (Instruction instruction : elementwise()) {
            collectInputs(instruction, anchorOffset);
        }
        for (int i = 0; i < step.body().size(); i++) {
            Instruction instruction = step.body().get(i);
            if (instruction.op() instanceof Elementwise op) {
                values[i] = new ElementwiseTranslation(builder, index(op)).translate(op, instruction.types().getFirst(), operands(instruction, op));
            }
        }
    }

    private List<Instruction> elementwise() {
        return step.body().stream().filter(i -> i.op() instanceof Elementwise).toList();
    }

    private void collectInputs(Instruction instruction, long anchorOffset) {
        for (int k = 0; k < instruction.operands().size(); k++) {
            Operand operand = instruction.operands().get(k);
            switch (operand) {
                case Operand.FromMemory m -> collect(source(instruction, k), step.reads().get(m.index()));
                case Operand.FromInstruction i -> {
                    if (i.instruction() == anchor) {
                        collectAnchor(anchorOffset);
                    }
                }
                case Operand.FromSeed s -> collectIndex();
            }
        }
    }

    private void collect(Source source, MemoryRead read) {
        inputs.computeIfAbsent(source, key -> {
            strides.add(Extents.strides(read.view(), box));
            offsets.add(read.address());
            return builder.input(new Input(read.dtype(), key.reading(), key.epsilon()));
        });
    }

    private void collectAnchor(long offset) {
        inputs.computeIfAbsent(new Source(ANCHOR, Reading.ELEMENT, 0), key -> {
            strides.add(Extents.strides(boxType.shape(), box));
            offsets.add(offset);
            DType dtype = step.body().get(anchor).types().getFirst().dtype();
            return builder.input(new Input(dtype, Reading.ELEMENT, 0));
        });
    }

    private void collectIndex() {
        inputs.computeIfAbsent(new Source(INDEX, Reading.INDEX, 0), key -> {
            strides.add(Extents.strides(boxType.shape(), box));
            offsets.add(0L);
            return builder.input(new Input(DType.I64, Reading.INDEX, 0));
        });
    }

    /** How operand {@code k} of an instruction reads memory. */
    private Source source(Instruction instruction, int k) {
        int read = ((Operand.FromMemory) instruction.operands().get(k)).index();
        if (instruction.op() instanceof Normalize normalize && k == (normalize.centered() ? 2 : 1)) {
            return new Source(read, Reading.RECIPROCAL_ROOT, normalize.epsilon());
        }
        return new Source(read, Reading.ELEMENT, 0);
    }

    private List<Integer> operands(Instruction instruction, Elementwise op) {
        List<Integer> operands = new ArrayList<>();
        for (int k = 0; k < instruction.operands().size(); k++) {
            switch (instruction.operands().get(k)) {
                case Operand.FromMemory m -> operands.add(inputs.get(source(instruction, k)));
                case Operand.FromInstruction i -> operands.add(
                        i.instruction() == anchor
                                ? inputs.get(new Source(ANCHOR, Reading.ELEMENT, 0))
                                : values[i.instruction()]);
                case Operand.FromSeed s -> { }
            }
        }
        return operands;
    }

    private int index(Elementwise op) {
        return inputs.getOrDefault(new Source(INDEX, Reading.INDEX, 0), ElementwiseTranslation.NO_INDEX);
    }

    int[] box() {
        return box;
    }

    /** The value that instruction {@code index} of the step became. */
    int value(int index) {
        return values[index];
    }

    /** The value that an operand of an instruction outside the program reads. */
    int valueOf(Instruction instruction, int operand) {
        return switch (instruction.operands().get(operand)) {
            case Operand.FromInstruction i -> values[i.instruction()];
            case Operand.FromMemory m -> inputs.get(source(instruction, operand));
            case Operand.FromSeed s -> throw new IllegalStateException("a seed is no tensor");
        };
    }

    /** Makes operand {@code operand} of an instruction outside the program an input, before translation. */
    void addInput(Instruction instruction, int operand) {
        if (instruction.operands().get(operand) instanceof Operand.FromMemory m) {
            collect(source(instruction, operand), step.reads().get(m.index()));
        }
    }

    EltwiseProgram program(List<Integer> outputs) {
        return builder.build(outputs.toArray(Integer[]::new));
    }

    List<long[]> strides() {
        return strides;
    }

    long[] offsets() {
        return offsets.stream().mapToLong(Long::longValue).toArray();
    }
}
