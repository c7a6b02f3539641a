package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.codegen.cuda.emit.ManyTensors.Column;
import dev.remat.ir.DType;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.RunningStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Statistics of several layers that change in one launch: running ones that move towards those of the batch, each by
 * its own number of samples, or those of micro-batches that are joined. A layer that is used twice changes its
 * statistics twice, in two launches.
 */
public record StatisticsKernel() implements CudaKernel {
    private static final int THREADS = 256;

    @Override
    public Optional<String> kind(KernelBody body) {
        return Optional.of(UpdateKernel.typedName(body));
    }

    @Override
    public boolean joins(List<KernelStepBinding> steps, KernelStepBinding next) {
        return isAlike(steps.getFirst(), next) && ManyTensors.mayJoin(steps, next);
    }

    /** Whether a step does what the first one does, by all that blocks have in common. */
    private static boolean isAlike(KernelStepBinding first, KernelStepBinding step) {
        return switch (first.op()) {
            case RunningStatistics running ->
                step.op() instanceof RunningStatistics op
                        && op.momentum() == running.momentum()
                        && type(step) == type(first);
            case Op combine ->
                step.op().equals(combine)
                        && type(step) == type(first)
                        && step.read(number(step)).address()
                                == first.read(number(first)).address();
        };
    }

    private static int number(KernelStepBinding joining) {
        return MicroBatchUpdate.numberIndex(joining.instruction().operands());
    }

    private static DType type(KernelStepBinding step) {
        return step.operandType(0).dtype();
    }

    @Override
    public void lower(KernelStepBinding step) {
        lower(List.of(step));
    }

    @Override
    public void lower(List<KernelStepBinding> steps) {
        KernelStepBinding first = steps.getFirst();
        boolean several = steps.size() > 1;
        KernelCall call = new KernelCall(
                "optimizer",
                (runs(first) ? "statistics_" : "combined_statistics_")
                        + type(first).label()
                        + (several ? "_many" : ""),
                runs(first) ? "optimizer.cuh" : "micro_batches.cuh");
        String common = first.op() instanceof RunningStatistics running
                ? call.real(DType.F64, 1 - running.momentum())
                : "*" + first.input(call, number(first));
        ManyTensors tensors = new ManyTensors(
                columns(steps),
                steps.stream().map(StatisticsKernel::elements).toList(),
                steps.stream().map(StatisticsKernel::blocks).toList());
        if (several) {
            call.body(tensors.choose(call) + change(first, common, ManyTensors.ELEMENTS, ManyTensors.BLOCK));
        } else {
            call.body(tensors.only(call) + change(first, common, call.u64(elements(first)), "blockIdx.x"));
        }
        first.launch(call.threads(THREADS).grid(tensors.grid()));
    }

    private static boolean runs(KernelStepBinding step) {
        return step.op() instanceof RunningStatistics;
    }

    private static String change(KernelStepBinding first, String common, String n, String block) {
        return runs(first)
                ? move(0, common, n, block) + move(1, common, n, block)
                : "combine_statistics<" + CudaType.of(type(first))
                        + ">({running0, running1}, {batch0, batch1}, {moved0, moved1}, " + n + ", " + common + ", "
                        + block
                        + ");\n";
    }

    private static String move(int which, String keep, String n, String block) {
        return "move_statistics(running" + which + ", batch" + which + ", moved" + which + ", " + n + ", " + keep
                + ", share" + which + ", " + block + ");\n";
    }

    private static long elements(KernelStepBinding step) {
        return step.operandType(0).elements();
    }

    private static long blocks(KernelStepBinding step) {
        return Math.ceilDiv(elements(step), (long) THREADS);
    }

    /** Means, then variances. */
    private static List<Column> columns(List<KernelStepBinding> steps) {
        String type = CudaType.of(type(steps.getFirst()));
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
            if (runs(steps.getFirst())) {
                columns.add(new Column(
                        "double",
                        "share" + which,
                        (call, i) -> call.real(
                                DType.F64,
                                share((RunningStatistics) steps.get(i).op(), which))));
            }
        });
        return columns;
    }

    /** Of the batch's statistic in the new one; its biased variance is made unbiased. */
    private static double share(RunningStatistics running, int which) {
        double samples = running.samples().value();
        return running.momentum() * (which == 0 ? 1 : samples / (samples - 1));
    }
}
