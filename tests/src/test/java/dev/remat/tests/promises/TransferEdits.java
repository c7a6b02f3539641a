package dev.remat.tests.promises;

import dev.remat.compiler.memory.LaneChecker;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.Transfers;

/** Plans whose transfers are others than the compiler's. */
public final class TransferEdits {
    private static final long PAGE = 4096;

    private TransferEdits() {}

    public static ExecutionPlan with(ExecutionPlan plan, Transfers transfers) {
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                plan.inputs(),
                plan.steps(),
                plan.sections(),
                plan.outputs(),
                transfers);
    }

    /** A page before or behind where it belongs in its place. */
    public static Transfer elsewhere(Transfer transfer) {
        return new Transfer(
                transfer.lane(),
                transfer.place(),
                transfer.value(),
                transfer.stored(),
                transfer.name(),
                transfer.range(),
                transfer.offset() == 0 ? PAGE : transfer.offset() - PAGE,
                transfer.waits(),
                transfer.frees());
    }

    /** Whether a copy of the plan may race a kernel or another copy. */
    public static boolean isRace(ExecutionPlan plan) {
        try {
            LaneChecker.check(plan);
            return false;
        } catch (PlanViolationException e) {
            return true;
        }
    }
}
