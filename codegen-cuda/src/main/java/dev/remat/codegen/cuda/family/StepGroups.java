package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.StepGroup;
import dev.remat.codegen.cuda.family.elementwise.CastGroup;
import dev.remat.codegen.cuda.family.norm.NormalizedRows;
import dev.remat.codegen.cuda.family.update.StatisticsGroup;
import dev.remat.codegen.cuda.family.update.UpdateGroup;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Update;
import java.util.List;
import java.util.Optional;

/** Which steps share launches. */
public final class StepGroups {
    private StepGroups() {}

    /** A group of the step alone; empty for one that is always launched by itself. */
    static Optional<StepGroup> of(KernelStepBinding step) {
        if (UpdateGroup.mayHold(step)) {
            return Optional.of(UpdateGroup.of(step));
        }
        if (StatisticsGroup.mayHold(step)) {
            return Optional.of(StatisticsGroup.of(step));
        }
        if (NormalizedRows.mayHold(step)) {
            return Optional.of(NormalizedRows.of(step));
        }
        return CastGroup.mayHold(step) ? Optional.of(CastGroup.of(step)) : Optional.empty();
    }

    /** What kernels have in common that may become a group, as far as their bodies tell; empty for others. */
    public static Optional<String> kind(KernelBody body) {
        Instruction only = body.instructions().getFirst();
        if (body.instructions().size() == 1 && only.op() instanceof Update update) {
            List<String> types = body.operandTypes(only).stream()
                    .map(type -> type.dtype().label())
                    .toList();
            String attributes = update instanceof RunningStatistics
                    ? ""
                    : update.attributes().toString();
            return Optional.of(update.mnemonic() + attributes + types);
        }
        return CastGroup.suits(body)
                ? Optional.of(only.op().mnemonic() + only.op().attributes())
                : Optional.empty();
    }
}
