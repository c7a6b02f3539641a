package dev.remat.compiler.execution;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.BufferMove.Copy;
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
    /** Where in a tier which tensor lies, and what people call it. */
    private record Side(int tier, long offset, ValueId content, String name) {}

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
        if (kernels.moves().isEmpty() && kernels.homes().isEmpty()) {
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
                Side below = below(number, store);
                begin(number, store.before(), transfer(Lane.STORE, store.buffer(), below, List.of(), frees));
            }
            case BufferMove.Fetch fetch ->
                begin(
                        number,
                        fetch.before(),
                        switch (fetch.copy()) {
                            case Copy.Home(ValueId input) ->
                                transfer(Lane.FETCH, fetch.buffer(), home(input, input), List.of(), false);
                            case Copy.Stored(int store) ->
                                transfer(
                                        Lane.FETCH,
                                        fetch.buffer(),
                                        below(store, (BufferMove.Store)
                                                kernels.moves().get(store)),
                                        List.of(transfers.get(store)),
                                        isLast(number, store));
                        });
            case BufferMove.Await await ->
                events.add(new TransferEvent.Await(await.before(), transfers.get(await.move())));
        }
    }

    private void begin(int number, int before, Transfer transfer) {
        transfers.put(number, transfers.size());
        events.add(new TransferEvent.Begin(before, transfer));
    }

    /** The copy that a store makes. */
    private Side below(int number, BufferMove.Store store) {
        return store.home()
                .map(input -> home(input, store.buffer()))
                .orElseGet(() -> new Side(
                        store.tier(),
                        memory.below().offsets().get(number),
                        store.buffer(),
                        kernels.graph().value(store.buffer()).name()));
    }

    /** What an input has at home: itself, or what an update has made of it. */
    private Side home(ValueId input, ValueId content) {
        return new Side(
                kernels.homes().get(input.index()),
                memory.below().homes().get(input.index()),
                content,
                kernels.graph().value(input).name());
    }

    private Transfer transfer(Lane lane, ValueId buffer, Side below, List<Integer> waits, boolean frees) {
        long bytes = Alignment.up(kernels.graph().type(buffer).bytes(), alignment);
        return new Transfer(
                lane,
                below.tier(),
                buffer.index(),
                below.content().index(),
                below.name(),
                new ByteRange(memory.offsets().get(buffer), bytes),
                below.offset(),
                waits,
                frees);
    }

    private boolean isLast(int fetch, int store) {
        List<BufferMove> later =
                kernels.moves().subList(fetch + 1, kernels.moves().size());
        return later.stream().noneMatch(move -> move instanceof BufferMove.Fetch other && other.isOf(store));
    }
}
