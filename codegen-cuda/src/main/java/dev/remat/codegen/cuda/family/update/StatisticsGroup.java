package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.codegen.cuda.emit.StepGroup;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.op.RunningStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Running statistics that move towards those of the batch, each by its own number of samples. A layer that is used
 * twice moves its statistics twice, in two launches.
 *
 * @param steps one, or several that move different statistics
 */
public record StatisticsGroup(List<KernelStepBinding> steps) implements StepGroup {
    private static final int THREADS = 256;

    public StatisticsGroup {
        steps = List.copyOf(steps);
    }

    public static StatisticsGroup of(KernelStepBinding step) {
        return new StatisticsGroup(List.of(step));
    }

    public static boolean mayHold(KernelStepBinding step) {
        return step.op() instanceof RunningStatistics;
    }

    @Override
    public KernelStepBinding first() {
        return steps.getFirst();
    }

    @Override
    public Optional<StepGroup> with(KernelStepBinding step) {
        boolean fits = steps.size() < ManyTensors.MOST
                && step.op() instanceof RunningStatistics op
                && op.momentum() == op(0).momentum()
                && type(step) == type(first())
                && steps.stream().allMatch(other -> isApart(other, step));
        return fits
                ? Optional.of(new StatisticsGroup(
                        Stream.concat(steps.stream(), Stream.of(step)).toList()))
                : Optional.empty();
    }

    /** Whether neither moves what the other reads or moves. */
    private static boolean isApart(KernelStepBinding a, KernelStepBinding b) {
        return Stream.concat(moved(a), moved(b)).noneMatch(range -> overlaps(a, range) && overlaps(b, range));
    }

    private static boolean overlaps(KernelStepBinding step, ByteRange range) {
        return step.step().reads().stream()
                .anyMatch(read -> new ByteRange(read.offset(), read.bytes()).overlaps(range));
    }

    /** What is moved is read, too. */
    private static Stream<ByteRange> moved(KernelStepBinding step) {
        return step.step().writes().stream().map(write -> new ByteRange(write.offset(), write.bytes()));
    }

    private RunningStatistics op(int index) {
        return (RunningStatistics) steps.get(index).op();
    }

    private static DType type(KernelStepBinding step) {
        return step.operandType(0).dtype();
    }

    @Override
    public void lower() {
        boolean several = steps.size() > 1;
        KernelCall call = new KernelCall(
                "optimizer", "statistics_" + type(first()).label() + (several ? "_many" : ""), "optimizer.cuh");
        String keep = call.real(DType.F64, 1 - op(0).momentum());
        if (several) {
            ManyTensors tensors = tensors();
            call.body(tensors.choose(call)
                    + move(0, keep, ManyTensors.ELEMENTS, ManyTensors.BLOCK)
                    + move(1, keep, ManyTensors.ELEMENTS, ManyTensors.BLOCK));
            call.grid(tensors.grid());
        } else {
            StringBuilder chosen = new StringBuilder();
            for (Column column : columns()) {
                chosen.append(column.type())
                        .append(' ')
                        .append(column.name())
                        .append(" = ")
                        .append(column.declare().apply(call, 0))
                        .append(";\n");
            }
            String n = call.u64(elements(first()));
            call.body(chosen + move(0, keep, n, "blockIdx.x") + move(1, keep, n, "blockIdx.x"));
            call.grid(blocks(first()));
        }
        first().launch(call.threads(THREADS));
    }

    private static String move(int which, String keep, String n, String block) {
        return "move_statistics(running" + which + ", batch" + which + ", moved" + which + ", " + n + ", " + keep
                + ", share" + which + ", " + block + ");\n";
    }

    private ManyTensors tensors() {
        return new ManyTensors(
                columns(),
                steps.stream().map(StatisticsGroup::elements).toList(),
                steps.stream().map(StatisticsGroup::blocks).toList());
    }

    private static long elements(KernelStepBinding step) {
        return step.operandType(0).elements();
    }

    private static long blocks(KernelStepBinding step) {
        return Math.ceilDiv(elements(step), (long) THREADS);
    }

    /** Means, then variances. */
    private List<Column> columns() {
        String type = CudaType.of(type(first()));
        List<Column> columns = new ArrayList<>();
        IntStream.range(0, 2).forEach(which -> {
            columns.add(new Column(
                    "const " + type + "*",
                    "running" + which,
                    (call, i) -> steps.get(i).input(call, which)));
            columns.add(new Column(
                    "const " + type + "*",
                    "batch" + which,
                    (call, i) -> steps.get(i).input(call, 2 + which)));
            columns.add(new Column(
                    type + "*", "moved" + which, (call, i) -> steps.get(i).result(call, which)));
            columns.add(new Column("double", "share" + which, (call, i) -> call.real(DType.F64, share(i, which))));
        });
        return columns;
    }

    /** Of the batch's statistic in the new one; its biased variance is made unbiased. */
    private double share(int index, int which) {
        double samples = op(index).samples().value();
        return op(index).momentum() * (which == 0 ? 1 : samples / (samples - 1));
    }
}
