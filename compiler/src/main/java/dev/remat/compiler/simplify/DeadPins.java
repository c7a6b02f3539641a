package dev.remat.compiler.simplify;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Refuses pins on what {@link RemoveDeadNodes} removed: they would be without effect and without a trace. */
public final class DeadPins {
    private DeadPins() {}

    /** @throws ModelException if a pinned value or a whole block of {@code before} is gone in {@code after} */
    public static void refuse(Graph before, Graph after) {
        List<Diagnostic> errors = new ArrayList<>();
        Set<String> alive =
                after.values().stream().map(Value::name).collect(Collectors.toCollection(LinkedHashSet::new));
        for (Value value : before.values()) {
            if (value.pin().isPresent() && !alive.contains(value.name())) {
                errors.add(Diagnostic.error(
                        "E0401",
                        value.pin().get().location(),
                        "the loss does not depend on '" + value.name() + "'",
                        "remove the '" + value.pin().get().kind().label() + "'"));
            }
        }
        Set<Region> left = blocks(after);
        for (Region block : blocks(before)) {
            if (!left.contains(block)) {
                errors.add(Diagnostic.error(
                        "E0401", block.location(), "the loss depends on nothing in this block", "remove the block"));
            }
        }
        if (!errors.isEmpty()) {
            throw new ModelException(errors);
        }
    }

    private static Set<Region> blocks(Graph graph) {
        Set<Region> blocks = new LinkedHashSet<>();
        for (Node node : graph.nodes()) {
            Optional<Region> block = node.origin().region();
            while (block.isPresent() && blocks.add(block.get())) {
                block = block.get().parent();
            }
        }
        return blocks;
    }
}
