package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.plan.Pin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The user's pins, one a group: {@code retain} keeps the group's values, {@code offload} lets them leave and come back;
 * what {@code recompute} and {@code segments} enclose is recomputed, except for values that leave the block or cross
 * from one segment to the next. Without a backward pass there is nothing to decide.
 */
final class ResolvePins {
    private final FusedGraph fused;
    private final Graph graph;
    private final Pin[] pins;
    /** Group that writes each buffer, or -1. */
    private final int[] writer;

    private final boolean[] needed;
    private final List<Diagnostic> errors = new ArrayList<>();

    private ResolvePins(FusedGraph fused) {
        this.fused = fused;
        this.graph = fused.graph();
        int count = fused.groups().size();
        this.pins = new Pin[count];
        Arrays.fill(pins, Pin.NONE);
        this.writer = new int[graph.values().size()];
        Arrays.fill(writer, -1);
        for (int i = 0; i < count; i++) {
            for (ValueId write : fused.groups().get(i).writes()) {
                writer[write.index()] = i;
            }
        }
        this.needed = neededByBackward();
    }

    /** @throws ModelException if a pin is without effect */
    static List<Pin> run(FusedGraph fused) {
        ResolvePins pins = new ResolvePins(fused);
        if (fused.groups().stream().anyMatch(group -> group.role() == Role.BACKWARD)) {
            pins.applyBlocks();
            pins.applyValues();
        }
        if (!pins.errors.isEmpty()) {
            throw new ModelException(pins.errors);
        }
        return List.of(pins.pins);
    }

    private void applyBlocks() {
        Blocks blocks = Blocks.of(fused, writer);
        for (int i = 0; i < pins.length; i++) {
            pins[i] = blocks.isInner(i) ? Pin.RECOMPUTE : Pin.NONE;
        }
        for (Region block : blocks.all()) {
            if (blocks.inner(block).stream().noneMatch(this::isNeeded)) {
                errors.add(Diagnostic.error(
                        "E0401",
                        block.location(),
                        "nothing in this block is recomputed",
                        "the backward pass reads nothing that stays inside it",
                        "remove the block"));
            }
        }
    }

    private boolean isNeeded(int group) {
        return fused.groups().get(group).writes().stream().anyMatch(write -> needed[write.index()]);
    }

    private void applyValues() {
        for (Value value : graph.values()) {
            if (value.pin().isEmpty()) {
                continue;
            }
            ValueId base = fused.layouts().get(value.id()).base();
            int group = writer[base.index()];
            if (group >= 0 && needed[base.index()]) {
                pins[group] = switch (value.pin().get().kind()) {
                    case RETAIN -> Pin.RETAIN;
                    case OFFLOAD -> Pin.OFFLOAD;
                };
            } else {
                errors.add(Diagnostic.error(
                        "E0401",
                        value.pin().get().location(),
                        "the backward pass does not need '" + value.name() + "'",
                        group < 0 ? "inputs and parameters are always in memory" : "nothing is recomputed from it",
                        "remove the '" + value.pin().get().kind().label() + "'"));
            }
        }
    }

    /** Buffers that the backward reads, or that recomputing such a buffer reads. */
    private boolean[] neededByBackward() {
        boolean[] found = new boolean[graph.values().size()];
        for (FusionGroup group : fused.groups().reversed()) {
            boolean serves = group.role() != Role.FORWARD;
            for (ValueId write : group.writes()) {
                serves |= found[write.index()];
            }
            if (serves) {
                group.reads().forEach(read -> found[read.index()] = true);
            }
        }
        return found;
    }
}
