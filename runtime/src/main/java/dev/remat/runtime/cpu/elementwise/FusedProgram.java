package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Table;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Input;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Reading;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The elementwise instructions of a step as a program: built by reading the step's operands one after another. */
public final class FusedProgram {
    /** What the program reads: something in memory in a certain way, or numbers of elements. */
    private sealed interface Source {
        Input input();
    }

    private record InMemory(int read, Input input) implements Source {}

    /** Numbers of the elements of a tensor of the box's rank. */
    private record Numbered(IndexMap numbers, List<Long> extents) implements Source {
        @Override
        public Input input() {
            return new Input(DType.I64, Reading.INDEX, 0);
        }
    }

    /** Where an element lies in the box. */
    private record InBox() implements Source {
        @Override
        public Input input() {
            return new Input(DType.I64, Reading.INDEX, 0);
        }
    }

    private final List<MemoryRead> reads;
    private final int[] dims;
    private final Map<Source, Integer> sources = new LinkedHashMap<>();
    private final Map<Operand.FromInstruction, Integer> results = new LinkedHashMap<>();
    private final Map<DrawnRows, Integer> wholes = new LinkedHashMap<>();
    private final EltwiseProgram.Builder builder = new EltwiseProgram.Builder();

    /**
     * @param dims the box that the instructions run over
     * @param given a result that already lies in memory, as the program's first input
     */
    public FusedProgram(KernelStep step, int[] dims, Map<Operand.FromInstruction, DType> given) {
        this.reads = step.reads();
        this.dims = dims;
        given.forEach((result, type) -> results.put(result, builder.input(type)));
        List<Instruction> body = step.body().instructions();
        body.stream().filter(FusedProgram::isElementwise).forEach(this::collect);
        for (int i = 0; i < body.size(); i++) {
            if (isElementwise(body.get(i))) {
                translate(i, body.get(i));
            }
        }
    }

    private static boolean isElementwise(Instruction instruction) {
        return instruction.op() instanceof Elementwise;
    }

    /** The elementwise instructions from memory to memory; what is given lies in the place of the only write. */
    public static BoundKernelStep bind(KernelStep step, Map<Operand.FromInstruction, DType> given) {
        List<MemoryWrite> writes = step.writes();
        int[] dims = Shapes.dims(writes.getFirst().type());
        FusedProgram fused = new FusedProgram(step, dims, given);
        List<TensorView> inputs = new ArrayList<>();
        given.values()
                .forEach(type ->
                        inputs.add(TensorView.dense(type, writes.getFirst().offset(), dims)));
        inputs.addAll(fused.inputs());
        Eltwise kernel = new Eltwise(
                fused.program(writes.stream()
                        .map(write -> new Operand.FromInstruction(write.instruction(), write.result()))
                        .toList()),
                dims,
                inputs,
                writes.stream()
                        .map(write -> TensorView.dense(write.type().dtype(), write.offset(), dims))
                        .toList());
        return frame -> kernel.run(frame.pool(), frame.arena(), frame.randomBits());
    }

    public EltwiseProgram program(List<Operand.FromInstruction> outputs) {
        return builder.build(outputs.stream().map(results::get).toArray(Integer[]::new));
    }

    /** The maps of the inputs, after those of what was given. */
    public List<TensorView> inputs() {
        List<TensorView> views = new ArrayList<>();
        for (Source source : sources.keySet()) {
            TensorView view = switch (source) {
                case InMemory(int read, Input _) -> Binding.view(reads.get(read));
                case Numbered(IndexMap numbers, List<Long> extents) ->
                    new TensorView(
                            DType.I64,
                            numbers.offset(),
                            extents.stream().mapToInt(Math::toIntExact).toArray(),
                            numbers.strides().stream()
                                    .mapToLong(Long::longValue)
                                    .toArray());
                case InBox _ -> TensorView.dense(DType.I64, 0, dims);
            };
            views.add(view.over(dims));
        }
        return views;
    }

    private void collect(Instruction instruction) {
        Elementwise op = (Elementwise) instruction.op();
        numbered(op).ifPresent(this::collect);
        for (int i = 0; i < instruction.operands().size(); i++) {
            switch (instruction.operands().get(i)) {
                case Operand.FromMemory memory -> {
                    DType type = reads.get(memory.index()).dtype();
                    collect(new InMemory(memory.index(), input(op, i, type)));
                }
                case Operand.FromInstruction _ -> {}
                case Operand.FromSeed _ -> collect(new InBox());
            }
        }
    }

    private void collect(Source source) {
        if (!sources.containsKey(source)) {
            sources.put(source, builder.input(source.input()));
        }
    }

    /** The numbers that a literal is a function of. */
    private static Optional<Source> numbered(Elementwise op) {
        if (op instanceof Iota iota) {
            return Optional.of(numbered(iota.numbers(), iota.type()));
        }
        return op instanceof Table table ? Optional.of(numbered(table.numbers(), table.type())) : Optional.empty();
    }

    private static Source numbered(IndexMap numbers, TensorType type) {
        return new Numbered(
                numbers, Arrays.stream(type.shape().toArray()).boxed().toList());
    }

    private static Input input(Elementwise op, int operand, DType type) {
        if (op instanceof Normalize norm && operand == norm.varianceIndex()) {
            return new Input(type, Reading.RECIPROCAL_ROOT, norm.epsilon());
        }
        return Input.element(type);
    }

    private void translate(int number, Instruction instruction) {
        TensorType type = instruction.types().getFirst();
        DType dtype = type.dtype();
        Elementwise op = (Elementwise) instruction.op();
        List<Integer> values = new ArrayList<>();
        numbered(op).ifPresent(source -> values.add(sources.get(source)));
        int ordinal = 0;
        for (int i = 0; i < instruction.operands().size(); i++) {
            switch (instruction.operands().get(i)) {
                case Operand.FromMemory memory -> {
                    DType read = reads.get(memory.index()).dtype();
                    values.add(sources.get(new InMemory(memory.index(), input(op, i, read))));
                }
                case Operand.FromInstruction result -> values.add(value(op, i, result));
                case Operand.FromSeed seed -> {
                    values.add(index(op));
                    ordinal = seed.ordinal();
                }
            }
        }
        results.put(new Operand.FromInstruction(number, 0), apply(op, dtype, values, ordinal));
    }

    /** The numbers of the elements that {@code op} draws for. */
    private int index(Elementwise op) {
        int inBox = sources.get(new InBox());
        return op.drawnRows()
                .map(rows -> wholes.computeIfAbsent(rows, _ -> whole(inBox, rows)))
                .orElse(inBox);
    }

    private int whole(int inBox, DrawnRows rows) {
        List<Double> piece = rows.piece().stream().asDoubleStream().boxed().toList();
        return builder.add(new EltwiseProgram.Instruction(
                Primitive.WHOLE_INDEX, DType.I64, List.of(inBox), rows.block().value(), rows.pieces(), piece));
    }

    private int value(Elementwise op, int operand, Operand.FromInstruction result) {
        int value = results.get(result);
        if (op instanceof Normalize norm && operand == norm.varianceIndex()) {
            DType type = builder.typeOf(value);
            int epsilon = builder.constant(type, norm.epsilon());
            return builder.apply(Primitive.RSQRT, type, builder.apply(Primitive.ADD, type, value, epsilon));
        }
        return value;
    }

    private int apply(Elementwise op, DType type, List<Integer> in, int ordinal) {
        return switch (op) {
            case Binary binary -> add(Primitive.valueOf(binary.kind().name()), type, in, 0, 0);
            case Cast _ -> add(Primitive.CAST, type, in, 0, 0);
            case Contiguous _ -> in.getFirst();
            case Clamp clamp -> add(Primitive.CLAMP, type, in, clamp.low(), clamp.high());
            case Compare compare -> add(Primitive.valueOf(compare.kind().name()), type, in, 0, 0);
            case Constant constant -> builder.constant(type, constant.value());
            case Draw draw -> add(Primitive.valueOf("DRAW_" + draw.kind().name()), type, in, draw.bound(), ordinal);
            case Dropout dropout -> add(Primitive.DROPOUT, type, in, dropout.p(), ordinal);
            case DropoutGradient gradient -> apply(gradient.forward(), type, in, ordinal);
            case Iota iota -> add(Primitive.IOTA, type, in, iota.start(), iota.step());
            case Table table ->
                builder.add(new EltwiseProgram.Instruction(Primitive.TABLE, type, in, 0, 0, table.values()));
            case LeakyRelu relu -> add(Primitive.LEAKY_RELU, type, in, relu.slope(), 0);
            case Normalize norm -> normalize(norm, type, in);
            case Select _ -> add(Primitive.WHERE, type, in, 0, 0);
            case Unary unary -> add(Primitive.valueOf(unary.kind().name()), type, in, 0, 0);
            case UnaryGradient gradient -> add(Primitive.valueOf(gradient.kind().name() + "_GRAD"), type, in, 0, 0);
        };
    }

    private int normalize(Normalize norm, DType type, List<Integer> in) {
        DType wide = type.accumulator();
        int value = in.getFirst();
        if (norm.centered()) {
            value = builder.apply(Primitive.SUB, wide, value, in.get(1));
        }
        boolean last = !norm.scaled();
        value = builder.apply(Primitive.MUL, last ? type : wide, value, in.get(norm.varianceIndex()));
        if (norm.scaled()) {
            value = builder.apply(Primitive.MUL, norm.shifted() ? wide : type, value, in.get(norm.gammaIndex()));
        }
        if (norm.shifted()) {
            value = builder.apply(Primitive.ADD, type, value, in.get(norm.betaIndex()));
        }
        return value;
    }

    private int add(Primitive primitive, DType type, List<Integer> operands, double first, double second) {
        return builder.add(new EltwiseProgram.Instruction(primitive, type, operands, first, second));
    }
}
