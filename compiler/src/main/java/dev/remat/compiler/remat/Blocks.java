package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The blocks whose memory the user decides: which groups are in each, and what never leaves one. A block with segments
 * is cut into runs of about equal bytes, and what goes from one run to the next leaves its run.
 */
final class Blocks {
    /** A block around a group, the segment of it that the group is in, and whether a result is read outside of that. */
    private static final class Around {
        private final Region block;
        private int segment;
        private boolean left;

        Around(Region block) {
            this.block = block;
        }
    }

    private final FusedGraph fused;
    private final Graph graph;
    /** Blocks around each group of the forward pass, innermost first. */
    private final List<List<Around>> around = new ArrayList<>();

    private final Map<Region, List<Integer>> members = new LinkedHashMap<>();

    private Blocks(FusedGraph fused) {
        this.fused = fused;
        this.graph = fused.graph();
    }

    /** @param writer group that writes each buffer, or -1 */
    static Blocks of(FusedGraph fused, int[] writer) {
        Blocks blocks = new Blocks(fused);
        blocks.collect();
        blocks.members.forEach(blocks::cutIntoSegments);
        for (int i = 0; i < fused.groups().size(); i++) {
            for (ValueId read : fused.groups().get(i).reads()) {
                blocks.read(writer[read.index()], i);
            }
        }
        for (GraphOutput output : blocks.graph.outputs()) {
            blocks.read(writer[fused.layouts().get(output.value()).base().index()], -1);
        }
        return blocks;
    }

    private void collect() {
        for (Node node : graph.nodes()) {
            enclosing(node).forEach(block -> members.computeIfAbsent(block, key -> new ArrayList<>()));
        }
        for (int i = 0; i < fused.groups().size(); i++) {
            List<Region> blocks = enclosing(graph.node(fused.groups().get(i).root()));
            around.add(blocks.stream().map(Around::new).toList());
            for (Region block : blocks) {
                members.get(block).add(i);
            }
        }
    }

    private static List<Region> enclosing(Node node) {
        List<Region> blocks = new ArrayList<>();
        Optional<Region> next = node.role() == Role.FORWARD ? node.origin().region() : Optional.empty();
        while (next.isPresent()) {
            blocks.add(next.get());
            next = next.get().parent();
        }
        return blocks;
    }

    private void cutIntoSegments(Region block, List<Integer> inside) {
        long total = inside.stream().mapToLong(this::bytes).sum();
        long passed = 0;
        for (int group : inside) {
            double share = total == 0 ? 0 : (double) passed / total;
            int segment = Math.min(block.segments() - 1, (int) (share * block.segments()));
            find(group, block).orElseThrow().segment = segment;
            passed += bytes(group);
        }
    }

    private long bytes(int group) {
        return fused.groups().get(group).writes().stream()
                .mapToLong(value -> graph.type(value).bytes())
                .sum();
    }

    private Optional<Around> find(int group, Region block) {
        return around.get(group).stream().filter(a -> a.block.equals(block)).findFirst();
    }

    /** Notes a reader of the forward pass, or -1 for whoever asks for an output. */
    private void read(int from, int reader) {
        if (from < 0 || reader >= 0 && fused.groups().get(reader).role() != Role.FORWARD) {
            return;
        }
        for (Around block : around.get(from)) {
            boolean inside = reader >= 0
                    && find(reader, block.block)
                            .filter(other -> other.segment == block.segment)
                            .isPresent();
            block.left |= !inside;
        }
    }

    /** Whether what the group computes stays inside a segment of some block around it. */
    boolean isInner(int group) {
        return around.get(group).stream().anyMatch(block -> !block.left);
    }

    /** Blocks in the order of the model. */
    List<Region> all() {
        return List.copyOf(members.keySet());
    }

    /** Groups whose results stay inside a segment of this block. */
    List<Integer> inner(Region block) {
        return members.get(block).stream()
                .filter(group -> !find(group, block).orElseThrow().left)
                .toList();
    }
}
