package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.runtime.Executable;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.function.Supplier;

/**
 * Finds the tensor that was not finite first, by running the step up to its loss once more and looking at what every
 * kernel leaves. Requires that nothing has been updated since.
 */
final class FindNaN {
    private final Executable executable;
    private final Rounds rounds;
    private final long step;
    private final PlanOutput output;
    private final double loss;
    /** What is looked for: NaN has its cause in a NaN or in an operation; infinities come and go in masks. */
    private final DoublePredicate sought;

    private final String soughtName;

    private FindNaN(Executable executable, Rounds rounds, long step, PlanOutput output) {
        this.executable = executable;
        this.rounds = rounds;
        this.step = step;
        this.output = output;
        this.loss = Scalars.read(executable, output);
        this.sought = Double.isNaN(loss) ? Double::isNaN : Double::isInfinite;
        this.soughtName = Double.isNaN(loss) ? "a NaN" : "an infinity";
    }

    /** @param output the loss that is not finite */
    static NotANumberException run(Executable executable, Rounds rounds, long step, PlanOutput output) {
        return new FindNaN(executable, rounds, step, output).run();
    }

    private NotANumberException run() {
        int ranks = executable.ranks().size();
        for (Section section : executable.plan().sections()) {
            for (int round = 0; round < section.times(); round++) {
                int first = round * ranks;
                rounds.feed(step, first);
                Optional<NotANumberException> found = inInputs(section, first)
                        .or(executable.runsStepByStep() ? lookInto(section, first) : Optional::empty);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return stop(
                Location.NONE,
                executable.runsStepByStep()
                        ? "it cannot be found again"
                        : "the run without stages, of the same bits, tells which tensor is the first");
    }

    /** @param first micro-batch of the round, which the first rank has */
    private Optional<NotANumberException> inInputs(Section section, int first) {
        for (int rank = 0; rank < executable.ranks().size(); rank++) {
            for (ArenaTensor input : executable.plan().inputs()) {
                if (input.kind() != InputKind.ACCUMULATOR
                        && ArenaTensors.any(executable.ranks().get(rank), input, sought)) {
                    boolean data = input.kind() == InputKind.DATA;
                    String cause = data ? "the data for " : "the last update of ";
                    return Optional.of(stop(
                            input.location(),
                            cause + input.whole() + " has " + soughtName
                                    + (data ? executable.plan().round(section, first + rank) : "")));
                }
            }
        }
        return Optional.empty();
    }

    private Supplier<Optional<NotANumberException>> lookInto(Section section, int first) {
        return () -> {
            for (int i = section.from(); i < Math.min(section.to(), output.readyAfter() + 1); i++) {
                if (!runsAgain(section, i)) {
                    executable.pass(i);
                    continue;
                }
                executable.run(step, first, i, i + 1);
                for (int rank = 0; rank < executable.ranks().size(); rank++) {
                    Optional<MemoryWrite> written =
                            written(executable.plan().steps().get(i), rank);
                    if (written.isPresent()) {
                        return Optional.of(stop(
                                locate(section, first, rank, i),
                                written.get().name() + " is the first tensor with " + soughtName
                                        + executable.plan().round(section, first + rank)));
                    }
                }
            }
            return Optional.empty();
        };
    }

    /** What a kernel has just left on a rank that is not finite. */
    private Optional<MemoryWrite> written(KernelStep kernel, int rank) {
        return kernel.writes().stream()
                .filter(write ->
                        isIn(rank, write.offset(), write.bytes(), write.type().dtype()))
                .findFirst();
    }

    /** Rounds add to accumulators, which the first of them begins anew. */
    private boolean runsAgain(Section section, int index) {
        return executable.plan().isOfMicroBatch(section)
                || executable.plan().steps().get(index).role() != Role.UPDATE;
    }

    /**
     * The line of the operation in kernel {@code index} that made it: reruns the round to
     * there, then looks inside.
     */
    private Location locate(Section section, int first, int rank, int index) {
        KernelStep kernel = executable.plan().steps().get(index);
        if (kernel.body().instructions().size() < 2) {
            return kernel.location();
        }
        for (int i = section.from(); i < index; i++) {
            if (runsAgain(section, i)) {
                executable.run(step, first, i, i + 1);
            } else {
                executable.pass(i);
            }
        }
        // What the kernel reads may be on its way.
        executable.pass(index);
        Executable on = executable.ranks().get(rank);
        ExecutionPlan single = SplitStep.run(executable.plan(), kernel);
        try (Executable inside = on.loadBeside(single)) {
            for (int r = 0; r < kernel.reads().size(); r++) {
                MemoryRead read = kernel.reads().get(r);
                inside.write(single.inputs().get(r).offset(), on.read(read.offset(), read.bytes()));
            }
            for (int i = 0; i < single.steps().size(); i++) {
                inside.run(step, first + rank, i, i + 1);
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

    private boolean isIn(int rank, long offset, long bytes, DType dtype) {
        return Scalars.any(executable.ranks().get(rank).read(offset, bytes), dtype, sought);
    }

    private String called() {
        return output.name().equals(ExecutionPlan.LOSS) ? "the loss" : output.name();
    }

    private NotANumberException stop(Location location, String finding) {
        return new NotANumberException(step, location, called() + " of step " + step + " is " + loss + "; " + finding);
    }
}
