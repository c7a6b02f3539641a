package dev.remat.compiler.memory;

import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Places the largest buffers first, each at the lowest offset that is free for as long as it lives. */
public final class ArenaOffsets {
    private ArenaOffsets() {}

    public static ArenaLayout layout(List<BufferLifetime> buffers) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < buffers.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingLong((Integer i) -> -buffers.get(i).alignedSize()));
        Long[] offsets = new Long[buffers.size()];
        List<Integer> placed = new ArrayList<>();
        long height = 0;
        for (int i : order) {
            BufferLifetime buffer = buffers.get(i);
            long offset = 0;
            for (int j : placed) {
                BufferLifetime other = buffers.get(j);
                if (other.overlaps(buffer) && offsets[j] < offset + buffer.alignedSize()) {
                    offset = Math.max(offset, offsets[j] + other.alignedSize());
                }
            }
            offsets[i] = offset;
            height = Math.max(height, offset + buffer.alignedSize());
            placed.add(i);
            placed.sort(Comparator.comparingLong(j -> offsets[j]));
        }
        int end = buffers.stream().mapToInt(BufferLifetime::upper).max().orElse(0);
        long[] change = new long[end + 1];
        buffers.forEach(b -> {
            change[b.lower()] += b.alignedSize();
            change[b.upper()] -= b.alignedSize();
        });
        long live = 0;
        long peak = 0;
        for (long c : change) {
            live += c;
            peak = Math.max(peak, live);
        }
        return new ArenaLayout(List.of(offsets), height, peak);
    }
}
