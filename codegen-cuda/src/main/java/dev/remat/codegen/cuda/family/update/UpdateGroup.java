package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Updates of parameters or of their averages that follow one another and run as one launch: clipping by the norm makes
 * every update wait for the last gradient, and then they come all at once. Each block finds its tensors by its number.
 *
 * @param steps one, or several that {@link #accepts} has let in; the launch counts as the first one's
 */
public record UpdateGroup(List<KernelStepBinding> steps) {
    static final int THREADS = 256;
    /** Slots of a kernel for several; unused ones have no blocks. */
    static final int MOST = 32;

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

    /** What happens, on a condition or always. */
    Update update() {
        return first().op() instanceof ConditionalUpdate conditional ? conditional.update() : (Update) first().op();
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

    public boolean isEmpty() {
        return steps.isEmpty();
    }

    public UpdateGroup with(KernelStepBinding step) {
        return new UpdateGroup(Stream.concat(steps.stream(), Stream.of(step)).toList());
    }

    /** Whether a group can begin with the step, which is then lowered with it. */
    public static boolean mayHold(KernelStepBinding step) {
        return step.op() instanceof Update && !(step.op() instanceof RunningStatistics);
    }

    /** Whether the plan's next step may be launched together with the group's. */
    public boolean accepts(KernelStepBinding step) {
        return steps.size() < MOST
                && mayHold(step)
                && isPlain(first())
                && isPlain(step)
                && step.op().equals(first().op())
                && IntStream.range(0, step.instruction().operands().size())
                        .allMatch(operand -> isTensor(step, operand)
                                ? step.operandType(operand).dtype()
                                        == first().operandType(operand).dtype()
                                : step.read(operand).address()
                                        == first().read(operand).address());
    }

    /** An update in place, all of whose results are stored, of tensors that begin where 16 bytes can be moved. */
    private static boolean isPlain(KernelStepBinding step) {
        boolean inPlace = ((Update) step.op())
                .writes().stream()
                        .allMatch(write -> step.resultAddress(write.result())
                                == step.read(write.operand()).address());
        return inPlace
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
            if (type.elements() == first().operandType(0).elements()) {
                while (width > 1
                        && first().dense(operand)
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
        return Math.ceilDiv(Math.max(1, step.operandType(0).elements() / width()), THREADS);
    }

    /** Declares the tensors {@code operands} of every step as parameters of {@code call}. */
    Slots declare(KernelCall call, List<Integer> operands) {
        if (steps.size() == 1) {
            List<String> results = ((Update) first().op())
                    .writes().stream()
                            .map(write -> first().result(call, write.result()))
                            .toList();
            return new Slots(
                    "",
                    operands.stream()
                            .map(operand -> first().input(call, operand))
                            .toList(),
                    results,
                    call.u64(first().operandType(0).elements()),
                    "blockIdx.x");
        }
        StringBuilder choice = new StringBuilder();
        List<String> names = operands.stream().map(operand -> "t" + operand).toList();
        long begin = 0;
        for (int slot = 0; slot < MOST; slot++) {
            boolean used = slot < steps.size();
            KernelStepBinding step = steps.get(used ? slot : 0);
            List<String> values = new ArrayList<>();
            for (int operand : operands) {
                values.add(call.output(step.operandType(operand).dtype(), step.dense(operand)));
            }
            String elements = call.u64(step.operandType(0).elements());
            if (slot == 0) {
                for (int i = 0; i < names.size(); i++) {
                    choice.append(CudaType.of(step.operandType(operands.get(i)).dtype()))
                            .append("* ")
                            .append(names.get(i))
                            .append(" = ")
                            .append(values.get(i))
                            .append(";\n");
                }
                choice.append("u64 n = ").append(elements).append(";\nu32 begin = 0;\n");
            } else {
                String from = call.u32(used ? begin : 0xFFFFFFFFL);
                choice.append("if (blockIdx.x >= ").append(from).append(") {\n");
                for (int i = 0; i < names.size(); i++) {
                    choice.append("    ")
                            .append(names.get(i))
                            .append(" = ")
                            .append(values.get(i))
                            .append(";\n");
                }
                choice.append("    n = ")
                        .append(elements)
                        .append(";\n    begin = ")
                        .append(from)
                        .append(";\n}\n");
            }
            begin += used ? blocks(step) : 0;
        }
        List<String> results = ((Update) first().op())
                .writes().stream().map(write -> "t" + write.operand()).toList();
        return new Slots(choice.toString(), names, results, "n", "blockIdx.x - begin");
    }
}
