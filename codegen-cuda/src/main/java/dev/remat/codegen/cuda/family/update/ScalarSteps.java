package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pointwise;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Steps that compute numbers alone, such as the rate of an update and what corrects its moments. Those that follow one
 * another run as one launch, by a thread that carries them out in order: launching takes longer than all of them.
 */
public final class ScalarSteps {
    /** How many a kernel has parameters for. */
    private static final int MOST = 32;

    /**
     * What a step has read may be where the next one writes a number of another type, which a compiler of C++ takes for
     * another place.
     */
    private static final String IN_ORDER = "\n__syncthreads();\n";

    private ScalarSteps() {}

    /** Whether the step after {@code steps} may run in their launch. */
    public static boolean joins(List<KernelStepBinding> steps, KernelStepBinding next) {
        return steps.size() < MOST && areScalar(steps) && isScalar(next);
    }

    public static boolean areScalar(List<KernelStepBinding> steps) {
        return steps.stream().allMatch(ScalarSteps::isScalar);
    }

    private static boolean isScalar(KernelStepBinding step) {
        return step.step().body().instructions().stream().allMatch(each -> isPlain(each.op()))
                && step.step().reads().stream().allMatch(read -> read.view().elements() == 1)
                && step.step().writes().stream().allMatch(write -> write.type().elements() == 1);
    }

    private static boolean isPlain(Op op) {
        return op instanceof Pointwise
                || op instanceof Cast
                || op instanceof Clamp
                || op instanceof Constant
                || op instanceof LearningRate;
    }

    /** Launches several as the first of them. */
    public static void lower(List<KernelStepBinding> steps) {
        KernelCall call = new KernelCall("elementwise", "scalars");
        String body = steps.stream().map(step -> statement(step, call)).collect(Collectors.joining(IN_ORDER));
        steps.getFirst().launch(call.body(body));
    }

    private static String statement(KernelStepBinding step, KernelCall call) {
        return step.op() instanceof LearningRate rate
                ? LearningRateKernel.statement(rate, step, call)
                : "elementwise<1, 1>(" + ElementwiseBody.whole(step).declare(call.header("elementwise.cuh")) + ", 1);";
    }
}
