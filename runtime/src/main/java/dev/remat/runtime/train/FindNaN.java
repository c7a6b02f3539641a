package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.runtime.Executable;
import java.lang.foreign.MemorySegment;
import java.util.function.DoublePredicate;

/**
 * Finds the tensor that was not finite first, by running the step up to its loss once more and looking at what every
 * kernel leaves. Requires that nothing has been updated since.
 */
final class FindNaN {
    private final Executable executable;
    private final long step;
    private final PlanOutput output;
    private final double loss;
    /** What is looked for: NaN has its cause in a NaN or in an operation; infinities come and go in masks. */
    private final DoublePredicate sought;

    private final String soughtName;

    private FindNaN(Executable executable, long step, PlanOutput output) {
        this.executable = executable;
        this.step = step;
        this.output = output;
        this.loss = Scalars.read(executable, output);
        this.sought = Double.isNaN(loss) ? Double::isNaN : Double::isInfinite;
        this.soughtName = Double.isNaN(loss) ? "a NaN" : "an infinity";
    }

    /** @param output the loss that is not finite */
    static NotANumberException run(Executable executable, long step, PlanOutput output) {
        return new FindNaN(executable, step, output).run();
    }

    private NotANumberException run() {
        ExecutionPlan plan = executable.plan();
        for (ArenaTensor input : plan.inputs()) {
            if (isIn(input.offset(), input.type().bytes(), input.type().dtype())) {
                String cause = input.kind() == InputKind.DATA ? "the data for " : "the last update of ";
                return stop(input.location(), cause + input.name() + " has " + soughtName);
            }
        }
        for (int i = 0; i <= output.readyAfter(); i++) {
            KernelStep kernel = plan.steps().get(i);
            if (kernel.role() != Role.UPDATE) {
                executable.run(step, i, i + 1);
                for (MemoryWrite write : kernel.writes()) {
                    if (isIn(write.offset(), write.bytes(), write.type().dtype())) {
                        return stop(locate(i), write.name() + " is the first tensor with " + soughtName);
                    }
                }
            }
        }
        return stop(Location.NONE, "it cannot be found again");
    }

    /** The line of the operation in kernel {@code index} that made it: reruns the step to there, then looks inside. */
    private Location locate(int index) {
        KernelStep kernel = executable.plan().steps().get(index);
        if (kernel.body().instructions().size() < 2) {
            return kernel.location();
        }
        for (int i = 0; i < index; i++) {
            if (executable.plan().steps().get(i).role() != Role.UPDATE) {
                executable.run(step, i, i + 1);
            }
        }
        ExecutionPlan single = SplitStep.run(executable.plan(), kernel);
        try (Executable inside = executable.loadBeside(single)) {
            for (int r = 0; r < kernel.reads().size(); r++) {
                MemoryRead read = kernel.reads().get(r);
                inside.write(single.inputs().get(r).offset(), executable.read(read.offset(), read.bytes()));
            }
            for (int i = 0; i < single.steps().size(); i++) {
                inside.run(step, i, i + 1);
                for (MemoryWrite write : single.steps().get(i).writes()) {
                    MemorySegment data = inside.read(write.offset(), write.bytes());
                    if (Scalars.any(data, write.type().dtype(), sought)) {
                        return single.steps().get(i).location();
                    }
                }
            }
        }
        return kernel.location();
    }

    private boolean isIn(long offset, long bytes, DType dtype) {
        return Scalars.any(executable.read(offset, bytes), dtype, sought);
    }

    private String called() {
        return output.name().equals(ExecutionPlan.LOSS) ? "the loss" : output.name();
    }

    private NotANumberException stop(Location location, String finding) {
        return new NotANumberException(step, location, called() + " of step " + step + " is " + loss + "; " + finding);
    }
}
