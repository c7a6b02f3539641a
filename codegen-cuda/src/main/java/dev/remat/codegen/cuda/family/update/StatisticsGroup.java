package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.codegen.cuda.emit.StepGroup;
import dev.remat.ir.DType;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.RunningStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Statistics of several layers that change in one launch: running ones that move towards those of the batch, each by
 * its own number of samples, or those of micro-batches that are joined. A layer that is used twice changes its
 * statistics twice, in two launches.
 *
 * @param steps one, or several of one kind that change different statistics
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
        return step.op() instanceof RunningStatistics || step.op() instanceof CombineStatistics;
    }

    @Override
    public KernelStepBinding first() {
        return steps.getFirst();
    }

    @Override
    public Optional<StepGroup> with(KernelStepBinding step) {
        boolean fits = steps.size() < ManyTensors.MOST
                && isAlike(step)
                && steps.stream().allMatch(other -> StepGroup.areApart(other.step(), step.step()));
        return fits
                ? Optional.of(new StatisticsGroup(
                        Stream.concat(steps.stream(), Stream.of(step)).toList()))
                : Optional.empty();
    }

    /** Whether a step does what the first one does, by all that blocks have in common. */
    private boolean isAlike(KernelStepBinding step) {
        if (!mayHold(step) || type(step) != type(first())) {
            return false;
        }
        if (first().op() instanceof RunningStatistics running) {
            return step.op() instanceof RunningStatistics op && op.momentum() == running.momentum();
        }
        return step.op().equals(first().op())
                && step.read(number(step)).address()
                        == first().read(number(first())).address();
    }

    private static int number(KernelStepBinding joining) {
        return MicroBatchUpdate.numberIndex(joining.instruction().operands());
    }

    private static DType type(KernelStepBinding step) {
        return step.operandType(0).dtype();
    }

    @Override
    public void lower() {
        boolean several = steps.size() > 1;
        boolean running = first().op() instanceof RunningStatistics;
        KernelCall call = new KernelCall(
                "optimizer",
                (running ? "statistics_" : "combined_statistics_")
                        + type(first()).label()
                        + (several ? "_many" : ""),
                running ? "optimizer.cuh" : "micro_batches.cuh");
        String common =
                running ? call.real(DType.F64, 1 - running(0).momentum()) : "*" + first().input(call, number(first()));
        if (several) {
            ManyTensors tensors = tensors();
            call.body(tensors.choose(call) + change(common, ManyTensors.ELEMENTS, ManyTensors.BLOCK));
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
            call.body(chosen + change(common, call.u64(elements(first())), "blockIdx.x"));
            call.grid(blocks(first()));
        }
        first().launch(call.threads(THREADS));
    }

    private RunningStatistics running(int index) {
        return (RunningStatistics) steps.get(index).op();
    }

    private String change(String common, String n, String block) {
        return first().op() instanceof RunningStatistics
                ? move(0, common, n, block) + move(1, common, n, block)
                : "combine_statistics<" + CudaType.of(type(first()))
                        + ">({running0, running1}, {batch0, batch1}, {moved0, moved1}, " + n + ", " + common + ", "
                        + block
                        + ");\n";
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
            if (first().op() instanceof RunningStatistics) {
                columns.add(new Column("double", "share" + which, (call, i) -> call.real(DType.F64, share(i, which))));
            }
        });
        return columns;
    }

    /** Of the batch's statistic in the new one; its biased variance is made unbiased. */
    private double share(int index, int which) {
        double samples = running(index).samples().value();
        return running(index).momentum() * (which == 0 ? 1 : samples / (samples - 1));
    }
}
