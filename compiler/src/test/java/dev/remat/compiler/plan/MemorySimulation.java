package dev.remat.compiler.plan;

import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a valid sequence with memory to count: blocks are allocated when a node runs and freed when their last reader
 * has run. Written from the rules in {@code docs/planning.md} and from the nodes as they were given, apart from
 * {@link SequenceEvaluator} and all that it uses, to check what that claims; in time proportional to the edges of all
 * steps.
 *
 * @param peakBytes the most that was allocated at any step
 * @param cost of all steps, and once of what is resident
 */
public record MemorySimulation(long peakBytes, long cost) {
    /** Memory of one computation of one value; {@code reads} counts those still to come. */
    private static final class Block {
        final long bytes;
        int reads;

        Block(long bytes) {
            this.bytes = bytes;
        }
    }

    /** What one step reads, makes, and may reuse for each thing that it makes: null for nothing. */
    private record Step(ProblemNode node, List<Block> read, List<Block> made, List<Block> replaceable) {}

    public static MemorySimulation of(RematProblem problem, OperatorSequence sequence) {
        long resident = 0;
        long cost = 0;
        List<Integer> firstResults = new ArrayList<>();
        int values = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            firstResults.add(values);
            values += node.results().size();
            for (ProblemValue result : node.results()) {
                resident += node.resident() && result.viewOf() == ProblemValue.NONE ? result.bytes() : 0;
            }
            cost += node.resident() ? node.cost() : 0;
        }
        List<Step> steps = new ArrayList<>();
        Map<Integer, Block> latest = new LinkedHashMap<>();
        for (int t = 0; t < sequence.length(); t++) {
            ProblemNode node = problem.node(sequence.node(t));
            steps.add(step(node, firstResults.get(sequence.node(t)), latest));
            cost += node.cost();
        }
        // Outputs are read once more, by whoever wanted them, after the last step.
        for (int output : problem.outputs()) {
            Block block = latest.get(output);
            if (block != null) {
                block.reads++;
            }
        }
        return new MemorySimulation(peak(steps, resident), cost);
    }

    /** Finds the memory that a node reads and gives each of its results memory of its own or its base's. */
    private static Step step(ProblemNode node, int firstResult, Map<Integer, Block> latest) {
        List<Block> read = new ArrayList<>();
        for (int input : node.inputs()) {
            Block block = latest.get(input);
            if (block != null) {
                block.reads++;
                read.add(block);
            }
        }
        List<Block> made = new ArrayList<>();
        List<Block> replaceable = new ArrayList<>();
        for (int k = 0; k < node.results().size(); k++) {
            ProblemValue result = node.results().get(k);
            boolean view = result.viewOf() != ProblemValue.NONE;
            Block block = view ? latest.get(result.viewOf()) : new Block(result.bytes());
            if (!view) {
                made.add(block);
                replaceable.add(result.inPlaceOf() == ProblemValue.NONE ? null : latest.get(result.inPlaceOf()));
            }
            latest.put(firstResult + k, block);
        }
        return new Step(node, read, made, replaceable);
    }

    private static long peak(List<Step> steps, long resident) {
        long live = resident;
        long peak = resident;
        for (Step step : steps) {
            List<Block> dying = new ArrayList<>();
            for (Block block : step.read) {
                if (--block.reads == 0) {
                    dying.add(block);
                }
            }
            for (int k = 0; k < step.made.size(); k++) {
                Block block = step.made.get(k);
                Block replaced = step.replaceable.get(k);
                if (replaced != null && replaced.bytes == block.bytes && dying.remove(replaced)) {
                    live -= replaced.bytes;
                }
                live += block.bytes;
            }
            peak = Math.max(peak, live + step.node.workspaceBytes());
            for (Block block : dying) {
                live -= block.bytes;
            }
            for (Block block : step.made) {
                live -= block.reads == 0 ? block.bytes : 0;
            }
        }
        return peak;
    }
}
