package dev.remat.codegen.cuda.cabi;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/** What {@code lanes.cc} knows of a plan's transfers; nothing at all where a plan has none. */
final class TransferTables {
    private final ExecutionPlan plan;
    private final List<TransferEvent> events;

    TransferTables(ExecutionPlan plan) {
        this.plan = plan;
        this.events = plan.transfers().events();
    }

    private boolean isEmpty() {
        return plan.transfers().isEmpty();
    }

    /** The transfers, and the memory of the host that they need. */
    void write(TableText text) {
        if (isEmpty()) {
            return;
        }
        long bytes =
                plan.transfers().places().stream().mapToLong(PlaceSize::bytes).sum();
        List<Transfer> transfers = plan.transfers().all();
        List<Integer> waits = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        for (Transfer transfer : transfers) {
            int first = waits.size();
            waits.addAll(transfer.waits());
            rows.add("{%s, %s, %dULL, %dULL, %dULL, %d, %d}"
                    .formatted(
                            TableText.quoted(transfer.name()),
                            transfer.lane(),
                            transfer.range().offset(),
                            transfer.offset(),
                            transfer.range().bytes(),
                            first,
                            waits.size()));
        }
        text.line("constexpr uint64_t HOST_BYTES = " + bytes + "ULL;");
        text.line("constexpr size_t TRANSFER_COUNT = " + transfers.size() + ";");
        text.array("size_t WAITS[]", waits, String::valueOf);
        text.array("Transfer TRANSFERS[]", rows, row -> row);
    }

    /** Where a tensor lives: the last field of {@code remat_tensor}. */
    String ofTensor(int place) {
        return isEmpty() ? "" : place == ArenaTensor.ARENA ? ", 0" : ", 1";
    }

    /** The events of a section: the last fields of {@code Section}. */
    String ofSection(Section section) {
        if (isEmpty()) {
            return "";
        }
        boolean isLast = section.to() == plan.steps().size();
        return ", " + eventsBefore(section.from()) + ", " + (isLast ? events.size() : eventsBefore(section.to()));
    }

    private long eventsBefore(int step) {
        return events.stream().takeWhile(event -> event.before() < step).count();
    }

    /** @param launchesBefore a step, on one architecture */
    void writeMeetings(TableText text, IntToLongFunction launchesBefore) {
        if (isEmpty()) {
            return;
        }
        int begun = 0;
        List<String> rows = new ArrayList<>();
        for (TransferEvent event : events) {
            String what = switch (event) {
                case Begin _ -> "false, " + begun++;
                case Await(int _, int transfer) -> "true, " + transfer;
            };
            rows.add("{" + launchesBefore.applyAsLong(event.before()) + ", " + what + "}");
        }
        text.array("Meeting MEETINGS[]", rows, row -> row);
    }

    /** A field of {@code Program}, and what separates it from the next. */
    String ofProgram(String architecture) {
        return isEmpty() ? "" : architecture + "::MEETINGS, ";
    }
}
