package dev.remat.compiler.remat;

import dev.remat.compiler.unit.Unit;
import dev.remat.compiler.unit.UnitGraph;
import dev.remat.ir.Graph;
import dev.remat.ir.Node;
import dev.remat.ir.Region;
import dev.remat.ir.Role;
import dev.remat.ir.Value;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.plan.Pin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The user's pins, one a unit: {@code retain} keeps the unit's values; what {@code recompute} and {@code segments}
 * enclose is recomputed, except for values that leave the block or cross from one segment to the next. Without a backward
 * pass there is nothing to decide.
 */
final class ResolvePins {
    private final UnitGraph units;
    private final Graph graph;
    private final Pin[] pins;
    /** Unit that writes each buffer, or -1. */
    private final int[] writer;
    /** Block of each unit, and segment in it. */
    private final List<Optional<Region>> region = new ArrayList<>();
    private final int[] segment;

    private ResolvePins(UnitGraph units) {
        this.units = units;
        this.graph = units.graph();
        int count = units.units().size();
        this.pins = new Pin[count];
        Arrays.fill(pins, Pin.NONE);
        this.segment = new int[count];
        this.writer = new int[graph.values().size()];
        Arrays.fill(writer, -1);
        for (int i = 0; i < count; i++) {
            for (ValueId write : units.units().get(i).writes()) {
                writer[write.index()] = i;
            }
        }
    }

    static List<Pin> run(UnitGraph units) {
        ResolvePins pins = new ResolvePins(units);
        if (units.units().stream().anyMatch(unit -> unit.role() == Role.BACKWARD)) {
            pins.applyRegions();
            pins.applyRetains();
        }
        return List.of(pins.pins);
    }

    private void applyRegions() {
        Map<Region, List<Integer>> members = new LinkedHashMap<>();
        for (int i = 0; i < units.units().size(); i++) {
            Unit unit = units.units().get(i);
            Node root = graph.node(unit.root());
            Optional<Region> around = unit.role() == Role.FORWARD ? root.origin().region() : Optional.empty();
            region.add(around);
            int index = i;
            around.ifPresent(r -> members.computeIfAbsent(r, key -> new ArrayList<>()).add(index));
        }
        members.forEach(this::cutIntoSegments);
        for (int i = 0; i < pins.length; i++) {
            if (region.get(i).isPresent()) {
                pins[i] = Pin.RECOMPUTE;
            }
        }
        for (int i = 0; i < pins.length; i++) {
            for (ValueId read : units.units().get(i).reads()) {
                leave(writer[read.index()], i);
            }
        }
        graph.outputs().forEach(output -> leave(writer[units.layouts().get(output.value()).base().index()], -1));
    }

    /** Segments of about equal bytes, in order. */
    private void cutIntoSegments(Region block, List<Integer> members) {
        long total = members.stream().mapToLong(this::bytes).sum();
        long passed = 0;
        for (int i : members) {
            segment[i] = total == 0 ? 0 : (int) Math.min(block.segments() - 1, passed * block.segments() / total);
            passed += bytes(i);
        }
    }

    private long bytes(int unit) {
        return units.units().get(unit).writes().stream().mapToLong(value -> graph.type(value).bytes()).sum();
    }

    /** What another block or segment of the forward reads is no inner value of its own. */
    private void leave(int from, int reader) {
        if (from < 0 || region.get(from).isEmpty()) {
            return;
        }
        boolean forward = reader < 0 || units.units().get(reader).role() == Role.FORWARD;
        boolean inside = reader >= 0
                && region.get(reader).equals(region.get(from))
                && segment[reader] == segment[from];
        if (forward && !inside) {
            pins[from] = Pin.NONE;
        }
    }

    private void applyRetains() {
        List<Diagnostic> errors = new ArrayList<>();
        boolean[] needed = neededByBackward();
        for (Value value : graph.values()) {
            if (value.pin().isEmpty()) {
                continue;
            }
            ValueId base = units.layouts().get(value.id()).base();
            int unit = writer[base.index()];
            if (unit >= 0 && needed[base.index()]) {
                pins[unit] = Pin.RETAIN;
            } else {
                errors.add(Diagnostic.error(
                        "E0401",
                        value.pin().get(),
                        "the backward pass does not need '" + value.name() + "'",
                        unit < 0 ? "inputs and parameters are always in memory" : "nothing is recomputed from it",
                        "remove the 'retain'"));
            }
        }
        if (!errors.isEmpty()) {
            throw new ModelException(errors);
        }
    }

    /** Buffers that the backward reads, or that recomputing such a buffer reads. */
    private boolean[] neededByBackward() {
        boolean[] needed = new boolean[graph.values().size()];
        for (Unit unit : units.units().reversed()) {
            boolean serves = unit.role() != Role.FORWARD;
            for (ValueId write : unit.writes()) {
                serves |= needed[write.index()];
            }
            if (serves) {
                unit.reads().forEach(read -> needed[read.index()] = true);
            }
        }
        return needed;
    }
}
