package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.List;
import java.util.stream.Collectors;

/** The learning rate of a step, of its number. */
public final class LearningRateKernel {
    private LearningRateKernel() {}

    public static void lower(LearningRate op, KernelStepBinding step) {
        KernelCall call = new KernelCall("optimizer", "learning_rate");
        step.launch(call.body(statement(op, step, call)));
    }

    /** What one thread does. */
    static String statement(LearningRate op, KernelStepBinding step, KernelCall call) {
        call.header(header(op.schedule()));
        String number = "*" + step.input(call, 0);
        String to = step.result(call, 0);
        String rate = switch (op.schedule()) {
            case LearningRateSchedule.Constant s -> real(call, s.rate());
            case LearningRateSchedule.Warmup s ->
                "rising_rate(" + real(call, s.rate()) + ", " + call.i64(s.warmup()) + ", " + number + ")";
            case LearningRateSchedule.Linear s ->
                "linear_rate(" + falling(call, s.rate(), s.warmup(), s.total(), s.floor()) + ", " + number + ")";
            case LearningRateSchedule.Cosine s ->
                "cosine_rate(" + falling(call, s.rate(), s.warmup(), s.total(), s.floor()) + ", " + number + ")";
            case LearningRateSchedule.Steps s ->
                "stepped_rate(" + falling(call, s.rate(), s.warmup(), s.every(), s.gamma()) + ", " + number + ")";
            case LearningRateSchedule.Milestones s ->
                "rising_rate(" + real(call, s.rate()) + ", " + call.i64(s.warmup()) + ", " + number + ") * math::power("
                        + real(call, s.gamma()) + ", " + passed(call, s.at(), number) + ")";
            case LearningRateSchedule.Exponential s ->
                "stepped_rate(" + falling(call, s.rate(), s.warmup(), 1, s.gamma()) + ", " + number + ")";
            case LearningRateSchedule.Polynomial s ->
                "polynomial_rate(" + falling(call, s.rate(), s.warmup(), s.total(), s.floor()) + ", "
                        + real(call, s.power()) + ", " + number + ")";
            case LearningRateSchedule.InverseSquareRoot s ->
                "inverse_sqrt_rate(" + real(call, s.rate()) + ", " + call.i64(s.warmup()) + ", " + number + ")";
            case LearningRateSchedule.OneCycle s ->
                "one_cycle_rate(" + real(call, s.rate()) + ", " + real(call, s.rate() / s.start()) + ", "
                        + real(call, s.rate() / s.start() / s.end()) + ", " + real(call, s.peak()) + ", "
                        + call.i64(s.total()) + ", " + (s.cosine() ? "true" : "false") + ", " + number + ")";
        };
        return "*" + to + " = " + rate + ";";
    }

    private static String header(LearningRateSchedule schedule) {
        return switch (schedule) {
            case LearningRateSchedule.Constant _,
                    LearningRateSchedule.Warmup _,
                    LearningRateSchedule.Linear _,
                    LearningRateSchedule.Cosine _,
                    LearningRateSchedule.Steps _,
                    LearningRateSchedule.Milestones _,
                    LearningRateSchedule.Exponential _ -> "optimizer.cuh";
            case LearningRateSchedule.Polynomial _,
                    LearningRateSchedule.InverseSquareRoot _,
                    LearningRateSchedule.OneCycle _ -> "schedules.cuh";
        };
    }

    /** How many of the steps are over. */
    private static String passed(KernelCall call, List<Integer> steps, String number) {
        return steps.stream()
                .map(step -> "static_cast<i64>(" + number + " > " + call.i64(step) + ")")
                .collect(Collectors.joining(" + "));
    }

    private static String falling(KernelCall call, double rate, long warmup, long steps, double last) {
        return String.join(", ", real(call, rate), call.i64(warmup), call.i64(steps), real(call, last));
    }

    private static String real(KernelCall call, double value) {
        return call.real(DType.F64, value);
    }
}
