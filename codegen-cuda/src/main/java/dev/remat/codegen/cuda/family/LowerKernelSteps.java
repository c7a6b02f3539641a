package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.Emitter;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.RandomSource;
import dev.remat.codegen.cuda.family.update.ScalarSteps;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.StageMessages;
import dev.remat.ir.target.KernelLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Launches a plan's steps, each by the kernel of its operation. */
public final class LowerKernelSteps {
    private LowerKernelSteps() {}

    /**
     * Lowers steps in order; some that follow one another become one launch, if they run equally often and nothing
     * begins to be moved or sent, or is waited for, between them.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if a step is larger than its kernel counts
     */
    public static void run(ExecutionPlan plan, RandomSource random, Emitter emitter) {
        SortedSet<Integer> apart = new TreeSet<>();
        plan.sections().forEach(section -> apart.add(section.from()));
        plan.transfers().events().forEach(event -> apart.add(event.before()));
        StageMessages.of(plan).stops().forEach(stop -> apart.add(stop.before()));
        List<KernelStepBinding> open = new ArrayList<>();
        for (int i = 0; i < plan.steps().size(); i++) {
            KernelStep each = plan.steps().get(i);
            KernelStepBinding step = new KernelStepBinding(each, i, each.body().anchor(), random, emitter);
            if (!open.isEmpty() && (apart.contains(i) || !joins(open, step))) {
                lower(open);
                open.clear();
            }
            open.add(step);
        }
        if (!open.isEmpty()) {
            lower(open);
        }
    }

    /** Whether the step runs in the launch of those before it: numbers with others, tensors as their kernel has it. */
    private static boolean joins(List<KernelStepBinding> open, KernelStepBinding step) {
        boolean ofNumbers = open.size() > 1 && ScalarSteps.areScalar(open);
        return ScalarSteps.joins(open, step)
                || !ofNumbers && CudaKernels.of(open.getFirst().op()).joins(open, step);
    }

    /** Grids and strides have limits of their own, which a tensor within its may exceed. */
    private static void lower(List<KernelStepBinding> steps) {
        KernelStepBinding first = steps.getFirst();
        KernelStep step = first.step();
        KernelLimit.guard(first.architecture().label(), step.name(), step.location(), () -> {
            if (steps.size() > 1 && ScalarSteps.areScalar(steps)) {
                ScalarSteps.lower(steps);
            } else {
                CudaKernels.of(first.op()).lower(List.copyOf(steps));
            }
            return first;
        });
    }
}
