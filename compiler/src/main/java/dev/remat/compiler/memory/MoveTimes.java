package dev.remat.compiler.memory;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** How long moves need their buffers, in kernels: a matter of positions alone, however long a copy takes. */
public final class MoveTimes {
    private final List<BufferMove> moves;
    private final int kernels;
    private final SortedMap<Integer, Integer> stored = new TreeMap<>();
    private final SortedMap<Integer, Integer> awaited = new TreeMap<>();
    private final SortedMap<Integer, Integer> fetched = new TreeMap<>();

    public MoveTimes(KernelGraph kernelGraph) {
        this.moves = kernelGraph.moves();
        this.kernels = kernelGraph.kernels().size();
        for (int number = 0; number < moves.size(); number++) {
            switch (moves.get(number)) {
                case BufferMove.Store store -> {
                    stored.merge(store.buffer().index(), end(number), Math::max);
                    awaited.merge(store.buffer().index(), await(number), Math::max);
                }
                case BufferMove.Fetch fetch -> fetched.put(fetch.buffer().index(), fetch.before());
                case BufferMove.Await _ -> {}
            }
        }
    }

    /** For each stored buffer the first kernel that may use its memory for something else. */
    SortedMap<Integer, Integer> stored() {
        return stored;
    }

    /** For each stored buffer the first kernel that runs when all of its stores have ended. */
    SortedMap<Integer, Integer> awaited() {
        return awaited;
    }

    private int await(int store) {
        return moves.stream()
                .filter(move -> move instanceof BufferMove.Await await && await.move() == store)
                .findFirst()
                .map(BufferMove::before)
                .orElse(kernels);
    }

    /** For each fetched buffer the kernel from which on it has memory. */
    SortedMap<Integer, Integer> fetched() {
        return fetched;
    }

    /** The first kernel behind the end of a store; what is fetched in front of its await may not have its memory. */
    int end(int store) {
        boolean fetches = false;
        int before = moves.get(store).before();
        for (int number = store + 1; number < moves.size(); number++) {
            BufferMove move = moves.get(number);
            fetches = move instanceof BufferMove.Fetch || fetches && move.before() == before;
            before = move.before();
            if (move instanceof BufferMove.Await await && await.move() == store) {
                return fetches ? before + 1 : before;
            }
        }
        return kernels;
    }

    /** The first kernel behind the last fetch of what was stored; of what nobody fetches, behind the step. */
    public int lastFetched(int store) {
        int last = store;
        for (int number = store; number < moves.size(); number++) {
            last = moves.get(number) instanceof BufferMove.Fetch fetch && fetch.isOf(store) ? number : last;
        }
        for (BufferMove move : moves.subList(last, moves.size())) {
            if (move instanceof BufferMove.Await await && await.move() == last) {
                return move.before() + 1;
            }
        }
        return kernels + 1;
    }
}
