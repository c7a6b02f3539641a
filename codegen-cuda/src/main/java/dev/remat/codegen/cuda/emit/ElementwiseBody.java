package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
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
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Table;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The elementwise instructions of a step as a C++ struct: it loads its operands for some neighbouring elements,
 * computes and writes. Every result is rounded to its dtype, stored or not.
 */
public final class ElementwiseBody {
    private final KernelStepBinding step;
    private final long[] dims;
    /** What the operation before the instructions computes. */
    private final Optional<Operand.FromInstruction> given;
    /** What a reduction after the instructions takes; without it the struct writes. */
    private final Optional<Operand> taken;

    private final Map<Integer, Integer> operandOfRead = new LinkedHashMap<>();
    private final List<MemoryRead> reads = new ArrayList<>();
    /** Instructions that are functions of the numbers of elements, with what numbers these are over the box. */
    private final Map<Integer, IndexMap> numbered = new LinkedHashMap<>();

    private final IterationSpace space;
    private boolean byColumns;

    private ElementwiseBody(
            KernelStepBinding step, TensorType box, Optional<Operand.FromInstruction> given, Optional<Operand> taken) {
        this.step = step;
        this.dims = box.shape().toArray();
        this.given = given;
        this.taken = taken;
        for (Instruction instruction : step.step().body().instructions()) {
            if (instruction.op() instanceof Elementwise) {
                instruction.operands().forEach(this::collect);
            }
        }
        taken.ifPresent(this::collect);
        for (int number = 0; number < step.step().body().instructions().size(); number++) {
            collect(number, step.step().body().instructions().get(number).op());
        }
        List<StridedView> maps = new ArrayList<>();
        reads.forEach(read -> maps.add(read.view()));
        numbered.forEach((number, numbers) -> {
            TensorType type =
                    step.step().body().instructions().get(number).types().getFirst();
            List<Long> extents = Arrays.stream(type.shape().toArray()).boxed().toList();
            maps.add(new StridedView(numbers.offset(), extents, numbers.strides()));
        });
        this.space = IterationSpace.of(dims, maps);
    }

    /** A whole step of elementwise instructions. */
    public static ElementwiseBody whole(KernelStepBinding step) {
        return new ElementwiseBody(step, step.step().writes().getFirst().type(), Optional.empty(), Optional.empty());
    }

    /** What follows the step's operation, on its first result. */
    static ElementwiseBody epilogue(KernelStepBinding step) {
        return new ElementwiseBody(
                step, step.resultType(0), Optional.of(new Operand.FromInstruction(step.anchor(), 0)), Optional.empty());
    }

    /** What leads to the first operand of the step's operation, perhaps nothing but its strides. */
    public static ElementwiseBody prologue(KernelStepBinding step) {
        Operand operand = step.instruction().operands().getFirst();
        TensorType type = step.step().body().type(operand);
        return new ElementwiseBody(step, type, Optional.empty(), Optional.of(operand));
    }

    private void collect(Operand operand) {
        if (operand instanceof Operand.FromMemory memory && !operandOfRead.containsKey(memory.index())) {
            operandOfRead.put(memory.index(), reads.size());
            reads.add(step.step().read(memory.index()));
        }
    }

    private void collect(int number, Op op) {
        if (op instanceof Iota iota) {
            numbered.put(number, iota.numbers());
        } else if (op instanceof Table table) {
            numbered.put(number, table.numbers());
        }
    }

    public long elements() {
        return space.elements();
    }

    /**
     * How many elements a row has, where threads may keep their columns: what is read of a vector over them, for a
     * normalization by channels above all, and what is computed of it alone, serves all rows of a thread.
     */
    public Optional<Long> columns() {
        boolean repeats = false;
        for (int k = 0; k < reads.size(); k++) {
            repeats |= space.repeatsForRows(k) && !space.isScalar(k);
        }
        return repeats && numbered.isEmpty() && space.innermost() % width() == 0
                ? Optional.of(space.innermost())
                : Optional.empty();
    }

    /** Has the struct load what {@link #columns} tells of once for each thread. */
    public ElementwiseBody byColumns() {
        byColumns = true;
        return this;
    }

    /** Whether 32-bit indices suffice. */
    public boolean isNarrow() {
        return space.isNarrow();
    }

    public boolean isRandom() {
        return step.step().body().instructions().stream()
                .anyMatch(i -> i.op().drawnOrdinal().isPresent());
    }

    /** Neighbours that one thread computes at once: 16 bytes of the smallest type that is moved element by element. */
    public int width() {
        int least = stored().stream()
                .mapToInt(write -> write.type().dtype().bytes())
                .min()
                .orElse(16);
        for (int k = 0; k < reads.size(); k++) {
            if (!space.isScalar(k)) {
                least = Math.min(least, reads.get(k).dtype().bytes());
            }
        }
        return Math.min(8, 16 / least);
    }

    /** 32-bit registers that hold what a thread loads for {@link #width} neighbours, but for what it has of columns. */
    public int loadedRegisters() {
        int bytes = 0;
        for (int k = 0; k < reads.size(); k++) {
            if (byColumns && space.repeatsForRows(k)) {
                continue;
            }
            bytes += (space.isScalar(k) ? 1 : width()) * reads.get(k).dtype().bytes();
        }
        return Math.ceilDiv(bytes, Integer.BYTES);
    }

    /**
     * Defines the struct in {@code call} and declares its members' values as parameters.
     *
     * @return the C++ expression that makes one
     */
    public String declare(KernelCall call) {
        call.header("types.cuh").header("math.cuh");
        StructText struct = new StructText(call, space.isNarrow());
        List<OperandAccess> operands = new ArrayList<>();
        AxisText axes = new AxisText(space, struct);
        for (int k = 0; k < reads.size(); k++) {
            OperandAccess access = OperandAccess.of(k, reads.get(k), space, axes, struct);
            operands.add(byColumns && space.repeatsForRows(k) ? access.onceForColumns() : access);
        }
        Map<Integer, String> numbers = new LinkedHashMap<>();
        for (Map.Entry<Integer, IndexMap> each : numbered.entrySet()) {
            int operand = reads.size() + numbers.size();
            numbers.put(each.getKey(), axes.number(operand, each.getValue().offset()));
        }
        StringBuilder lanes = new StringBuilder();
        StringBuilder draws = new StringBuilder();
        for (int number = 0; number < step.step().body().instructions().size(); number++) {
            Instruction instruction = step.step().body().instructions().get(number);
            if (instruction.op() instanceof Elementwise op) {
                LaneText.header(op).ifPresent(call::header);
                lane(number, instruction, operands, numbers, struct, lanes, draws);
            }
        }
        struct.loads(operands);
        List<WriteAccess> writes = new ArrayList<>();
        for (MemoryWrite write : stored()) {
            Operand.FromInstruction result = new Operand.FromInstruction(write.instruction(), write.result());
            writes.add(WriteAccess.of(
                    writes.size(), write, expression(result, operands), given.map(_ -> StructText.THERE), struct));
        }
        if (taken.isPresent()) {
            struct.evaluate(draws, lanes, type(taken.get()), expression(taken.get(), operands), writes);
        } else {
            struct.finish(given.map(this::type), draws, lanes, writes);
        }
        return struct.define();
    }

    /** What the struct writes: the step's results, but for those that the step's operation writes itself. */
    private List<MemoryWrite> stored() {
        return step.step().writes().stream()
                .filter(write -> step.op() instanceof Elementwise
                        || write.instruction() != step.anchor()
                        || given.isPresent() && write.result() == 0)
                .toList();
    }

    private void lane(
            int number,
            Instruction instruction,
            List<OperandAccess> operands,
            Map<Integer, String> numbers,
            StructText struct,
            StringBuilder lanes,
            StringBuilder draws) {
        List<String> in = new ArrayList<>();
        List<String> constants = new ArrayList<>();
        for (Operand operand : instruction.operands()) {
            if (operand instanceof Operand.FromSeed seed) {
                String member = struct.draws(step.random(), seed.ordinal());
                Optional<DrawnRows> rows = instruction.op().drawnRows();
                Optional<String> piece = rows.map(r -> struct.piece(step.random(), r));
                // Of several micro-batches in one kernel, each draws at the same ordinal.
                boolean named = rows.filter(r -> r.piece().isPresent()).isPresent();
                String name = member + piece.filter(_ -> named).orElse("");
                constants.add(name);
                boolean paired = instruction.op() instanceof Draw draw && draw.kind() == Draw.Kind.NORMAL;
                String words = paired ? RandomText.pairs(name, member, piece) : RandomText.words(name, member, piece);
                // A dropout that is recomputed beside its gradient has the same.
                if (draws.indexOf(words) < 0) {
                    draws.append(words);
                }
                piece.filter(_ -> paired).ifPresent(constants::add);
            } else {
                in.add(expression(operand, operands));
            }
        }
        DType type = instruction.types().getFirst().dtype();
        switch ((Elementwise) instruction.op()) {
            case Dropout op -> constants.addAll(struct.keep(type, op.p()));
            case Draw op -> constants.addAll(struct.draw(op));
            case DropoutGradient op ->
                constants.addAll(struct.keep(type, op.forward().p()));
            case Constant op -> constants.add(struct.constant(type, op.value()));
            case Iota op -> constants.addAll(struct.line(numbers.get(number), type, op.start(), op.step()));
            case Table op -> constants.add(struct.table(number, type, op.values(), numbers.get(number)));
            case Normalize op -> constants.add(root(op, number, instruction, in, operands, struct));
            case Binary _,
                    Cast _,
                    Clamp _,
                    Compare _,
                    Contiguous _,
                    LeakyRelu _,
                    Select _,
                    Unary _,
                    UnaryGradient _ -> {}
        }
        String value = LaneText.of(instruction, in, constants);
        lanes.append("const ")
                .append(CudaType.accumulator(type))
                .append(" v")
                .append(number)
                .append(" = ")
                .append(isOnlyWritten(number) ? value : "rounded<" + CudaType.of(type) + ">(" + value + ")")
                .append(";\n");
    }

    /** The reciprocal root of a normalization, computed once where its variance is loaded once. */
    private String root(
            Normalize op,
            int number,
            Instruction instruction,
            List<String> in,
            List<OperandAccess> operands,
            StructText struct) {
        DType type = instruction.types().getFirst().dtype();
        if (instruction.operands().get(op.varianceIndex()) instanceof Operand.FromMemory memory) {
            OperandAccess variance = operands.get(operandOfRead.get(memory.index()));
            if (variance.ofColumns()) {
                return struct.ofColumns(type, "root" + number, LaneText.root(op, type, variance.lane("x")));
            }
        }
        return LaneText.root(op, type, in.get(op.varianceIndex()));
    }

    /** Whether nothing goes on with an instruction's result, so that to be written is all the rounding it needs. */
    private boolean isOnlyWritten(int number) {
        Predicate<Operand> isResult =
                operand -> operand instanceof Operand.FromInstruction result && result.instruction() == number;
        return taken.filter(isResult).isEmpty()
                && step.step().body().instructions().stream()
                        .flatMap(instruction -> instruction.operands().stream())
                        .noneMatch(isResult);
    }

    private String expression(Operand operand, List<OperandAccess> operands) {
        return switch (operand) {
            case Operand.FromMemory memory ->
                operands.get(operandOfRead.get(memory.index())).lane();
            case Operand.FromInstruction result ->
                given.isPresent() && given.get().equals(result)
                        ? "rounded<" + CudaType.of(type(result)) + ">(given[l])"
                        : "v" + result.instruction();
            case Operand.FromSeed _ -> throw new IllegalStateException("a seed is no tensor");
        };
    }

    private DType type(Operand operand) {
        return step.step().body().type(operand).dtype();
    }
}
