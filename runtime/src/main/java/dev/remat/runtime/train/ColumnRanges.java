package dev.remat.runtime.train;

import dev.remat.ir.StridedView;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Contiguous;
import dev.remat.runtime.io.IndexRange;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the columns of an input may be by the look-ups of a plan, where a column is an element's place in its sample:
 * a sample may stand in any row of a batch. Views and copies of some of an input are followed back to the columns that
 * they show; what is computed of indices is not.
 */
final class ColumnRanges {
    private static final int NONE = -1;

    /** Columns by the element of something that holds copies, {@link #NONE} where another thing lies. */
    @FunctionalInterface
    private interface Columns {
        int at(long element);
    }

    private final IndexRange[] ranges;
    /** Of the input itself. */
    private final Columns whole;
    /** By the element of a buffer. */
    private final Map<Integer, Columns> buffers = new HashMap<>();

    private ColumnRanges(ArenaTensor input) {
        long rows =
                input.type().rank() == 0 ? 1 : Math.max(1, input.type().dim(0).value());
        int columns = Math.toIntExact(input.type().elements() / rows);
        ranges = new IndexRange[columns];
        Arrays.fill(ranges, IndexRange.ANY);
        whole = element -> (int) (element % columns);
        buffers.put(input.value(), whole);
    }

    /** One range for every column, or one for all. */
    static List<IndexRange> of(ExecutionPlan plan, ArenaTensor input) {
        if (!input.type().dtype().isInteger()) {
            return List.of(IndexRange.ANY);
        }
        ColumnRanges found = new ColumnRanges(input);
        plan.steps().forEach(found::follow);
        List<IndexRange> ranges = List.of(found.ranges);
        return ranges.stream().distinct().count() == 1 ? List.of(ranges.getFirst()) : ranges;
    }

    private void follow(KernelStep step) {
        Map<Integer, Columns> copies = new HashMap<>();
        List<Instruction> body = step.body().instructions();
        for (int i = 0; i < body.size(); i++) {
            Instruction instruction = body.get(i);
            List<Operand> operands = instruction.operands();
            if (operands.size() > 1) {
                long elements = step.body().type(operands.get(1)).elements();
                instruction
                        .op()
                        .indexedExtent(step.body().operandTypes(instruction))
                        .ifPresent(rows -> columns(step, operands.get(1), copies)
                                .ifPresent(columns -> picks(
                                        columns,
                                        elements,
                                        new IndexRange(rows, instruction.op().ignoredIndex()))));
            }
            if (instruction.op() instanceof Contiguous) {
                int copy = i;
                columns(step, operands.getFirst(), copies).ifPresent(columns -> copies.put(copy, columns));
            }
        }
        for (MemoryWrite write : step.writes()) {
            Optional.ofNullable(copies.get(write.instruction())).ifPresent(columns -> keep(write, columns));
        }
    }

    /** By the element of an operand in row-major order; empty if it is no copy. */
    private Optional<Columns> columns(KernelStep step, Operand operand, Map<Integer, Columns> copies) {
        return switch (operand) {
            case Operand.FromMemory(int index) -> {
                MemoryRead read = step.read(index);
                StridedView view = read.view();
                boolean all = view.offset() == 0
                        && view.isContiguous()
                        && read.bytes() == read.type().bytes();
                yield Optional.ofNullable(buffers.get(read.value()))
                        .map(columns -> all ? columns : element -> columns.at(view.place(element)));
            }
            case Operand.FromInstruction(int instruction, int _) -> Optional.ofNullable(copies.get(instruction));
            case Operand.FromSeed _ -> Optional.empty();
        };
    }

    private void picks(Columns columns, long elements, IndexRange range) {
        long distinct = columns.equals(whole) ? ranges.length : elements;
        for (long element = 0; element < distinct; element++) {
            int column = columns.at(element);
            if (column != NONE) {
                ranges[column] = ranges[column].and(range);
            }
        }
    }

    /** A buffer may be written in parts, each of another copy. */
    private void keep(MemoryWrite write, Columns columns) {
        int[] buffer =
                new int[Math.toIntExact(write.bytes() / write.type().dtype().bytes())];
        Columns before = buffers.getOrDefault(write.value(), _ -> NONE);
        Arrays.setAll(buffer, before::at);
        StridedView view = write.view();
        for (long element = 0; element < view.elements(); element++) {
            buffer[(int) view.place(element)] = columns.at(element);
        }
        buffers.put(write.value(), element -> buffer[(int) element]);
    }
}
