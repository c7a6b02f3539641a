package dev.remat.codegen.cuda.emit;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.KernelStep;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What several steps of one kind read and write, for a kernel that carries all of them out: each block finds the step
 * that it works for by its number.
 *
 * @param columns what each step brings
 * @param elements that each step computes
 * @param blocks that each step takes
 */
public record ManyTensors(List<Column> columns, List<Long> elements, List<Long> blocks) {
    /** Steps that a kernel has parameters for; unused ones have no blocks. */
    public static final int MOST = 32;

    /** What the kernel calls the elements of the step at hand. */
    public static final String ELEMENTS = "n";

    /** Number of the block among those of the step at hand, in C++. */
    public static final String BLOCK = "blockIdx.x - begin";

    /**
     * One pointer or number that each step brings.
     *
     * @param type in C++
     * @param name of the one of the step at hand
     * @param declare declares that of a step, by its number in the list, as a parameter
     */
    public record Column(String type, String name, BiFunction<KernelCall, Integer, String> declare) {}

    public ManyTensors {
        columns = List.copyOf(columns);
        elements = List.copyOf(elements);
        blocks = List.copyOf(blocks);
        if (elements.isEmpty() || elements.size() > MOST || blocks.size() != elements.size()) {
            throw new IllegalArgumentException(elements.size() + " steps for one kernel");
        }
    }

    /** Whether a kernel has parameters for one more step, which may run in any order with the others, or at once. */
    public static boolean mayJoin(List<KernelStepBinding> steps, KernelStepBinding next) {
        return steps.size() < MOST && steps.stream().allMatch(other -> areApart(other.step(), next.step()));
    }

    /** Whether neither step writes what the other reads or writes. */
    private static boolean areApart(KernelStep a, KernelStep b) {
        return !touchesWritten(a, b) && !touchesWritten(b, a);
    }

    private static boolean touchesWritten(KernelStep step, KernelStep other) {
        return step.writes().stream()
                .map(write -> new ByteRange(write.offset(), write.bytes()))
                .anyMatch(written -> Stream.concat(
                                other.writes().stream().map(each -> new ByteRange(each.offset(), each.bytes())),
                                other.reads().stream().map(each -> new ByteRange(each.offset(), each.bytes())))
                        .anyMatch(written::overlaps));
    }

    public long grid() {
        return blocks.stream().mapToLong(Long::longValue).sum();
    }

    /** Declares all parameters in {@code call} and returns the statements that choose those of the block's step. */
    public String choose(KernelCall call) {
        StringBuilder text = new StringBuilder();
        long begin = 0;
        for (int slot = 0; slot < MOST; slot++) {
            boolean used = slot < elements.size();
            int step = used ? slot : 0;
            List<String> values = new ArrayList<>();
            columns.forEach(column -> values.add(column.declare().apply(call, step)));
            String count = call.u64(elements.get(step));
            if (slot == 0) {
                for (int i = 0; i < columns.size(); i++) {
                    text.append(columns.get(i).type()).append(' ');
                    assign(text, i, values.get(i));
                }
                text.append("u64 n = ").append(count).append(";\nu32 begin = 0;\n");
            } else {
                String from = call.u32(used ? begin : 0xFFFFFFFFL);
                text.append("if (blockIdx.x >= ").append(from).append(") {\n");
                for (int i = 0; i < columns.size(); i++) {
                    assign(text.append("    "), i, values.get(i));
                }
                text.append("    n = ")
                        .append(count)
                        .append(";\n    begin = ")
                        .append(from)
                        .append(";\n}\n");
            }
            begin += used ? blocks.get(slot) : 0;
        }
        return text.toString();
    }

    /** Declares the parameters of a lone step in {@code call} and returns the statements that name them. */
    public String only(KernelCall call) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            text.append(columns.get(i).type()).append(' ');
            assign(text, i, columns.get(i).declare().apply(call, 0));
        }
        return text.toString();
    }

    private void assign(StringBuilder text, int column, String value) {
        text.append(columns.get(column).name()).append(" = ").append(value).append(";\n");
    }
}
