package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.UpdateRows;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Updates that run as one launch; each block finds its tensors by its number.
 *
 * @param steps one, or several that are {@linkplain #areAlike alike}
 */
record UpdateGroup(List<KernelStepBinding> steps) {
    static final int THREADS = 256;

    /**
     * What a kernel calls the tensors of the block at hand.
     *
     * @param choice statements that choose them
     * @param operands pointers to what is read
     * @param results pointers to what is written, null where nobody reads it
     * @param elements of the tensors
     * @param block number of the block among the tensors'
     */
    record Slots(String choice, List<String> operands, List<String> results, String elements, String block) {}

    public UpdateGroup {
        steps = List.copyOf(steps);
    }

    KernelStepBinding first() {
        return steps.getFirst();
    }

    /** What happens, on a condition or always, to all rows or some. */
    Update update() {
        return rows(first()).<Update>map(UpdateRows::update).orElseGet(() -> unconditional(first()));
    }

    private static Update unconditional(KernelStepBinding step) {
        return step.op() instanceof ConditionalUpdate conditional ? conditional.update() : (Update) step.op();
    }

    private static Optional<UpdateRows> rows(KernelStepBinding step) {
        return unconditional(step) instanceof UpdateRows rows ? Optional.of(rows) : Optional.empty();
    }

    /** How many elements of a parameter are updated. */
    private static long elements(KernelStepBinding step) {
        TensorType parameter = step.operandType(0);
        return rows(step).map(rows -> rows.rows(parameter)).orElse(parameter).elements();
    }

    /** Bytes from the beginning of an operand, or of the result in its place, to the first row that is updated. */
    private static long skipped(KernelStepBinding step, int operand) {
        TensorType type = step.operandType(operand);
        return rows(step)
                .filter(_ -> UpdateRows.isWhole(operand))
                .map(rows -> type.bytes() / type.dim(0).value() * rows.from())
                .orElse(0L);
    }

    private static long address(KernelStepBinding step, int operand) {
        return step.dense(operand) + skipped(step, operand);
    }

    /** A statement that ends a thread of a kernel where its condition does not hold. */
    String condition(KernelCall call) {
        return first().op() instanceof ConditionalUpdate
                ? "if (*"
                        + first().input(
                                        call,
                                        ConditionalUpdate.flagIndex(
                                                first().instruction().operands()))
                        + " == 0) {\n    return;\n}\n"
                : "";
    }

    /** Whether a step updates other tensors as the first one does, by the same numbers. */
    static boolean areAlike(KernelStepBinding first, KernelStepBinding step) {
        return step.op().equals(first.op())
                && isPlain(first)
                && isPlain(step)
                && IntStream.range(0, step.instruction().operands().size())
                        .allMatch(operand -> isTensor(step, operand)
                                ? step.operandType(operand).dtype()
                                        == first.operandType(operand).dtype()
                                : step.read(operand).address()
                                        == first.read(operand).address());
    }

    /** An update of all rows, in place and all stored, of tensors that begin where 16 bytes can be moved. */
    private static boolean isPlain(KernelStepBinding step) {
        boolean inPlace = ((Update) step.op())
                .writes().stream()
                        .allMatch(write -> step.resultAddress(write.result())
                                == step.read(write.operand()).address());
        return inPlace
                && rows(step).isEmpty()
                && IntStream.range(0, step.instruction().operands().size())
                        .filter(operand -> isTensor(step, operand))
                        .mapToObj(step::read)
                        .allMatch(UpdateGroup::isAligned);
    }

    private static boolean isTensor(KernelStepBinding step, int operand) {
        return step.operandType(operand).shape().equals(step.operandType(0).shape())
                && step.operandType(0).rank() > 0;
    }

    private static boolean isAligned(MemoryRead read) {
        return read.view().isContiguous() && read.address() % 16 == 0;
    }

    String suffix() {
        return (first().op() instanceof ConditionalUpdate ? "_if" : "") + (steps.size() > 1 ? "_many" : "");
    }

    /** Elements that a thread updates at once, as the addresses of all tensors allow. */
    int width() {
        int width = 16 / first().operandType(0).dtype().bytes();
        for (int operand = 0; operand < first().instruction().operands().size(); operand++) {
            TensorType type = first().operandType(operand);
            if (type.elements() == first().operandType(0).elements() || type.elements() == elements(first())) {
                while (width > 1
                        && address(first(), operand)
                                        % Math.min(16, width * type.dtype().bytes())
                                != 0) {
                    width /= 2;
                }
            }
        }
        return width;
    }

    long blocks() {
        return steps.stream().mapToLong(this::blocks).sum();
    }

    private long blocks(KernelStepBinding step) {
        return Math.ceilDiv(Math.max(1, elements(step) / width()), THREADS);
    }

    private String result(KernelCall call, Update.Write write) {
        boolean stored = first().hasResult(write.result());
        return call.output(
                first().resultType(write.result()).dtype(),
                first().resultAddress(write.result()) + (stored ? skipped(first(), write.operand()) : 0));
    }

    /** Declares the tensors {@code operands} of every step as parameters of {@code call}. */
    Slots declare(KernelCall call, List<Integer> operands) {
        if (steps.size() == 1) {
            List<String> results = ((Update) first().op())
                    .writes().stream().map(write -> result(call, write)).toList();
            return new Slots(
                    "",
                    operands.stream()
                            .map(operand ->
                                    call.input(first().operandType(operand).dtype(), address(first(), operand)))
                            .toList(),
                    results,
                    call.u64(elements(first())),
                    "blockIdx.x");
        }
        List<Column> columns = operands.stream()
                .map(operand -> new Column(
                        CudaType.of(first().operandType(operand).dtype()) + "*",
                        "t" + operand,
                        (into, step) -> into.output(
                                steps.get(step).operandType(operand).dtype(),
                                steps.get(step).dense(operand))))
                .toList();
        ManyTensors tensors = new ManyTensors(
                columns,
                steps.stream().map(step -> step.operandType(0).elements()).toList(),
                steps.stream().map(this::blocks).toList());
        List<String> results = ((Update) first().op())
                .writes().stream().map(write -> "t" + write.operand()).toList();
        return new Slots(
                tensors.choose(call),
                columns.stream().map(Column::name).toList(),
                results,
                ManyTensors.ELEMENTS,
                ManyTensors.BLOCK);
    }
}
