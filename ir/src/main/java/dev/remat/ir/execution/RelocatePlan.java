package dev.remat.ir.execution;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.ShareOf;
import java.util.List;
import java.util.function.UnaryOperator;

/** Renames the files of all locations of a plan, for example so that they do not tell where the model lay. */
public final class RelocatePlan {
    private final UnaryOperator<String> files;

    private RelocatePlan(UnaryOperator<String> files) {
        this.files = files;
    }

    /** @param files from a file's name to its new one */
    public static ExecutionPlan run(ExecutionPlan plan, UnaryOperator<String> files) {
        RelocatePlan pass = new RelocatePlan(files);
        List<ArenaTensor> inputs = plan.inputs().stream().map(pass::input).toList();
        List<KernelStep> steps = plan.steps().stream().map(pass::step).toList();
        return plan.with(inputs, steps, plan.transfers());
    }

    private ArenaTensor input(ArenaTensor input) {
        return new ArenaTensor(
                input.value(),
                input.name(),
                input.type(),
                input.kind(),
                input.initializer(),
                input.place(),
                input.offset(),
                location(input.location()),
                input.rows(),
                input.share().map(this::share));
    }

    private ShareOf share(ShareOf share) {
        return new ShareOf(share.parts().stream()
                .map(part -> new ShareOf.Part(
                        part.tensor(), part.type(), part.initializer(), location(part.location()), part.first()))
                .toList());
    }

    private KernelStep step(KernelStep step) {
        return new KernelStep(
                step.name(),
                step.role(),
                location(step.location()),
                step.recomputed(),
                body(step.body()),
                step.buffers(),
                step.results(),
                step.workspace(),
                step.freed());
    }

    private KernelBody body(KernelBody body) {
        List<Instruction> instructions =
                body.instructions().stream().map(this::instruction).toList();
        return new KernelBody(instructions, body.buffers(), body.reads(), body.writes());
    }

    private Instruction instruction(Instruction instruction) {
        return new Instruction(
                instruction.op(), instruction.operands(), instruction.types(), location(instruction.location()));
    }

    private Location location(Location location) {
        return location.equals(Location.NONE)
                ? location
                : new Location(files.apply(location.file()), location.line(), location.column());
    }
}
