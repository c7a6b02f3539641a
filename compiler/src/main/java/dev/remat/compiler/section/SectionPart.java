package dev.remat.compiler.section;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import java.util.List;

/**
 * A section within the whole step.
 *
 * @param section itself, in numbers of its own
 * @param steps of the plan that are its kernels
 * @param isBody whether it is the one that was planned
 * @param values what its values are in {@link WholeStep#source}, by their own number
 * @param firstNode what its first node is there
 */
public record SectionPart(PlacedSection section, Section steps, boolean isBody, List<ValueId> values, int firstNode) {
    public SectionPart {
        values = List.copyOf(values);
    }

    /** What a value of the section's planning problem is in {@link WholeStep#source}. */
    public ValueId value(int inProblem) {
        return values.get(section.planning().values().get(inProblem).index());
    }

    /** The first value that a kernel of the section's planning problem makes, in {@link WholeStep#source}. */
    public ValueId made(FusionGroup kernel) {
        Graph own = section.planning().fused().graph();
        return values.get(own.node(kernel.root()).results().getFirst().index());
    }

    /** What a node of the section is in {@link WholeStep#source}. */
    public NodeId node(NodeId own) {
        return new NodeId(firstNode + own.index());
    }

    /** Whether that is a node of the section in {@link WholeStep#source}. */
    boolean contains(NodeId node) {
        int nodes = section.planning().fused().graph().nodes().size();
        return firstNode <= node.index() && node.index() < firstNode + nodes;
    }

    /** The step of the plan that computes each step of the section's sequence; -1 where that moves a value. */
    public int[] stepOfSequence() {
        int[] kernelOf = new int[section.kernels().graph().nodes().size()];
        List<FusionGroup> kernels = section.kernels().kernels();
        for (int k = 0; k < kernels.size(); k++) {
            for (NodeId id : kernels.get(k).nodes()) {
                kernelOf[id.index()] = k;
            }
        }
        int[] steps = new int[section.sequence().length()];
        for (int t = 0; t < steps.length; t++) {
            List<NodeId> nodes = section.rematerialized().steps().get(t);
            steps[t] = nodes.isEmpty()
                    ? -1
                    : this.steps.from() + kernelOf[nodes.getFirst().index()];
        }
        return steps;
    }
}
