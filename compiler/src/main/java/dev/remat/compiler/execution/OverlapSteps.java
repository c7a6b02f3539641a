package dev.remat.compiler.execution;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Lets stores that nothing in a step waits for run on beside the next step, up to where that needs the memory they
 * copy from or what they have stored. Kernels of the next step wait in front of the first of them that writes there; a
 * fetch waits in its lane.
 */
final class OverlapSteps {
    private final List<TransferEvent> events;
    private final List<KernelStep> steps;
    /** Stores that run on, by number. */
    private final SortedMap<Integer, Transfer> stores = new TreeMap<>();
    /** For each of them the step that kernels wait in front of. */
    private final SortedMap<Integer, Integer> awaited = new TreeMap<>();

    private OverlapSteps(ExecutionPlan plan) {
        this.events = plan.transfers().events();
        this.steps = plan.steps();
    }

    static ExecutionPlan run(ExecutionPlan plan) {
        OverlapSteps pass = new OverlapSteps(plan);
        pass.findStores(plan.sections().getLast());
        pass.stores.forEach((number, store) -> pass.awaited.put(number, pass.firstWrite(store.range())));
        return pass.stores.isEmpty()
                ? plan
                : plan.withTransfers(new Transfers(plan.transfers().places(), pass.events()));
    }

    private void findStores(Section last) {
        SortedSet<Integer> ended = new TreeSet<>();
        int begun = 0;
        for (TransferEvent event : events) {
            switch (event) {
                case Begin(int before, Transfer transfer) -> {
                    ended.addAll(transfer.waits());
                    if (transfer.isStore() && last.times() == 1 && before >= last.from()) {
                        stores.put(begun, transfer);
                    }
                    begun++;
                }
                case Await await -> ended.add(await.transfer());
            }
        }
        stores.keySet().removeAll(ended);
    }

    /** The first step that writes there: what made the stored tensor at the latest. */
    private int firstWrite(ByteRange range) {
        for (int step = 0; step < steps.size(); step++) {
            if (writes(steps.get(step), range)) {
                return step;
            }
        }
        throw new IllegalStateException("bytes " + range + " are stored, and no kernel writes them");
    }

    private static boolean writes(KernelStep step, ByteRange range) {
        for (MemoryWrite write : step.writes()) {
            if (range.overlaps(new ByteRange(write.offset(), write.bytes()))) {
                return true;
            }
        }
        return range.overlaps(step.workspace()) || step.freed().stream().anyMatch(range::overlaps);
    }

    private List<TransferEvent> events() {
        List<TransferEvent> all = new ArrayList<>();
        int number = 0;
        for (TransferEvent event : events) {
            addAwaits(all, event.before());
            switch (event) {
                case Begin(int before, Transfer transfer) -> all.add(new Begin(before, waiting(transfer, number++)));
                case Await await -> all.add(await);
            }
        }
        return all;
    }

    /** Those in front of earlier steps than {@code before}. */
    private void addAwaits(List<TransferEvent> all, int before) {
        SortedMap<Integer, Integer> due = new TreeMap<>();
        awaited.forEach((store, step) -> {
            if (step < before) {
                due.put(store, step);
            }
        });
        due.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(each -> all.add(new Await(each.getValue(), each.getKey())));
        awaited.keySet().removeAll(due.keySet());
    }

    /** A fetch into what may still be stored, or of it, waits; what is awaited by then has ended. */
    private Transfer waiting(Transfer transfer, int number) {
        if (stores.containsKey(number)) {
            return transfer.with(transfer.waits(), false);
        }
        List<Integer> waits = new ArrayList<>(transfer.waits());
        awaited.keySet().stream()
                .filter(store -> store > number && !transfer.isStore() && meets(transfer, stores.get(store)))
                .forEach(waits::add);
        return transfer.with(List.copyOf(waits), transfer.frees());
    }

    private static boolean meets(Transfer fetch, Transfer store) {
        return fetch.range().overlaps(store.range())
                || fetch.place() == store.place() && fetch.below().overlaps(store.below());
    }
}
