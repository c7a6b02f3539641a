package dev.remat.compiler.memory;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.Lifetimes.Allocation;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a memory plan says of kernels that run in another order than the one it was made for, everything in its place.
 *
 * @param before kernels as they were planned
 * @param sequence number of each kernel in that order
 */
record MovedKernels(KernelGraph before, List<Integer> sequence, long alignment) {
    MemoryPlan apply(MemoryPlan memory) {
        Lifetimes lifetimes = Lifetimes.of(before);
        int kernels = sequence.size();
        int[] first = new int[before.graph().values().size()];
        int[] last = new int[first.length];
        Arrays.fill(first, kernels);
        for (int at = 0; at < kernels; at++) {
            FusionGroup group = before.kernels().get(sequence.get(at));
            for (List<ValueId> buffers : List.of(group.reads(), group.writes(), group.overwrites())) {
                for (ValueId buffer : buffers) {
                    int owner = lifetimes.owner(buffer).index();
                    first[owner] = Math.min(first[owner], at);
                    last[owner] = at;
                }
            }
        }
        List<List<ByteRange>> freed = new ArrayList<>();
        sequence.forEach(_ -> freed.add(new ArrayList<>(2)));
        long[] change = new long[kernels + 1];
        for (Allocation place : lifetimes.allocations()) {
            int owner = place.owner().index();
            boolean stays = place.last() == kernels - 1;
            boolean isThere = before.graph().value(place.owner()).producer().isEmpty();
            int end = stays ? kernels - 1 : last[owner];
            change[isThere ? 0 : first[owner]] += Alignment.up(place.bytes(), alignment);
            change[end + 1] -= Alignment.up(place.bytes(), alignment);
            if (!stays) {
                freed.get(end).add(new ByteRange(memory.offsets().get(place.owner()), place.bytes()));
            }
        }
        List<Long> live = new ArrayList<>();
        long sum = 0;
        for (int at = 0; at < kernels; at++) {
            sum += change[at];
            live.add(
                    sum + Alignment.up(memory.workspaces().get(sequence.get(at)).bytes(), alignment));
        }
        return new MemoryPlan(
                memory.arenaBytes(),
                memory.peakLiveBytes(),
                memory.offsets(),
                sequence.stream().map(memory.workspaces()::get).toList(),
                freed,
                live);
    }
}
