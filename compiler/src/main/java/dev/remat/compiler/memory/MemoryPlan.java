package dev.remat.compiler.memory;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.ValueMap;
import java.util.List;

/**
 * Where everything lies.
 *
 * @param arenaBytes size of the arena
 * @param peakLiveBytes largest sum of live bytes, which no layout can beat
 * @param offsets first byte of every buffer
 * @param workspaces scratch range of every kernel
 * @param freed ranges whose content is dead after each kernel
 * @param liveBytes sum of live bytes at every kernel, its workspace included
 * @param below where copies of buffers lie that are moved
 */
public record MemoryPlan(
        long arenaBytes,
        long peakLiveBytes,
        ValueMap<Long> offsets,
        List<ByteRange> workspaces,
        List<List<ByteRange>> freed,
        List<Long> liveBytes,
        PlacesBelow below) {
    public MemoryPlan {
        workspaces = List.copyOf(workspaces);
        freed = List.copyOf(freed);
        liveBytes = List.copyOf(liveBytes);
    }

    /** Of buffers that stay in the arena. */
    public MemoryPlan(
            long arenaBytes,
            long peakLiveBytes,
            ValueMap<Long> offsets,
            List<ByteRange> workspaces,
            List<List<ByteRange>> freed,
            List<Long> liveBytes) {
        this(arenaBytes, peakLiveBytes, offsets, workspaces, freed, liveBytes, PlacesBelow.NONE);
    }

    /** The same in an arena of this size, if that is larger: one that others take turns in. */
    public MemoryPlan withArena(long bytes) {
        return new MemoryPlan(Math.max(arenaBytes, bytes), peakLiveBytes, offsets, workspaces, freed, liveBytes, below);
    }
}
