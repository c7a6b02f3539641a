package dev.remat.tests.promises;

import dev.remat.compiler.memory.LaneChecker;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.Transfers;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/** Plans whose transfers are others than the compiler's. */
public final class TransferEdits {
    private static final long PAGE = 4096;

    private TransferEdits() {}

    /** The plan when all stores end with the step. */
    public static ExecutionPlan endingWithTheStep(ExecutionPlan plan) {
        SortedSet<Integer> runningOn = plan.transfers().runningOn();
        List<TransferEvent> events = new ArrayList<>();
        int begun = 0;
        for (TransferEvent event : plan.transfers().events()) {
            if (event instanceof TransferEvent.Begin(int before, Transfer transfer)) {
                List<Integer> waits = new ArrayList<>(transfer.waits());
                waits.removeAll(runningOn);
                events.add(new TransferEvent.Begin(before, transfer.with(waits, transfer.frees())));
                begun++;
            } else if (event instanceof TransferEvent.Await await && await.transfer() < begun) {
                events.add(await);
            }
        }
        return plan.withTransfers(new Transfers(plan.transfers().places(), events));
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
