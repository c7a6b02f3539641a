package dev.remat.compiler.execution;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.plan.Lane;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Moves of buffers as transfers between the arena and the places below it. */
final class PlaceMoves {
    private final KernelGraph kernels;
    private final MemoryPlan memory;
    private final long alignment;
    private final List<TransferEvent> events = new ArrayList<>();
    /** Number among the transfers of each move that is one. */
    private final Map<Integer, Integer> transfers = new LinkedHashMap<>();

    private PlaceMoves(KernelGraph kernels, MemoryPlan memory, long alignment) {
        this.kernels = kernels;
        this.memory = memory;
        this.alignment = alignment;
    }

    /** @param alignment of what is moved, in bytes; it is moved in whole multiples of it */
    static Transfers run(KernelGraph kernels, MemoryPlan memory, List<Tier> tiers, long alignment) {
        if (kernels.moves().isEmpty()) {
            return Transfers.NONE;
        }
        PlaceMoves pass = new PlaceMoves(kernels, memory, alignment);
        for (int number = 0; number < kernels.moves().size(); number++) {
            pass.place(number);
        }
        List<PlaceSize> places = new ArrayList<>();
        for (int tier = 0; tier < memory.below().bytes().size(); tier++) {
            places.add(
                    new PlaceSize(tiers.get(tier).name(), memory.below().bytes().get(tier)));
        }
        return new Transfers(places, pass.events);
    }

    private void place(int number) {
        switch (kernels.moves().get(number)) {
            case BufferMove.Store store -> {
                boolean frees = memory.below().freeing().contains(number);
                Transfer transfer = transfer(Lane.STORE, store.buffer(), number, List.of(), frees);
                begin(number, new TransferEvent.Begin(store.before(), transfer));
            }
            case BufferMove.Fetch fetch -> {
                List<Integer> waits = List.of(transfers.get(fetch.store()));
                Transfer transfer =
                        transfer(Lane.FETCH, fetch.buffer(), fetch.store(), waits, isLast(number, fetch.store()));
                begin(number, new TransferEvent.Begin(fetch.before(), transfer));
            }
            case BufferMove.Await await ->
                events.add(new TransferEvent.Await(await.before(), transfers.get(await.move())));
        }
    }

    private void begin(int number, TransferEvent event) {
        transfers.put(number, transfers.size());
        events.add(event);
    }

    /** @param store number of the move that makes the copy below */
    private Transfer transfer(Lane lane, ValueId buffer, int store, List<Integer> waits, boolean frees) {
        BufferMove.Store stored = (BufferMove.Store) kernels.moves().get(store);
        long bytes = Alignment.up(kernels.graph().type(buffer).bytes(), alignment);
        return new Transfer(
                lane,
                stored.tier(),
                buffer.index(),
                stored.buffer().index(),
                kernels.graph().value(stored.buffer()).name(),
                new ByteRange(memory.offsets().get(buffer), bytes),
                memory.below().offsets().get(store),
                waits,
                frees);
    }

    private boolean isLast(int fetch, int store) {
        List<BufferMove> later =
                kernels.moves().subList(fetch + 1, kernels.moves().size());
        return later.stream().noneMatch(move -> move instanceof BufferMove.Fetch other && other.store() == store);
    }
}
