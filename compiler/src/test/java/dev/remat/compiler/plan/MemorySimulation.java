package dev.remat.compiler.plan;

import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
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
 * @param cost of all nodes that run, and once of what is resident
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
    private record Step(long workspace, List<Block> read, List<Block> made, List<Block> replaceable) {}

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
                resident += node.resident() && node.home() == ProblemNode.DEVICE && result.viewOf() == ProblemValue.NONE
                        ? result.bytes()
                        : 0;
            }
            cost += node.resident() ? node.cost() : 0;
        }
        List<Step> steps = new ArrayList<>();
        Map<Integer, Block> latest = new LinkedHashMap<>();
        Map<Integer, Block> storing = new LinkedHashMap<>();
        for (int t = 0; t < sequence.length(); t++) {
            if (!sequence.runs(t)) {
                steps.add(transfer(problem, sequence.step(t), latest, storing));
                continue;
            }
            ProblemNode node = problem.node(sequence.node(t));
            steps.add(step(node, firstResults.get(sequence.node(t)), latest));
            cost += node.cost();
        }
        // What nobody awaits is read until the end.
        storing.values().forEach(block -> block.reads++);
        // Outputs are read once more, by whoever wanted them, after the last step.
        for (int output : problem.outputs()) {
            Block block = latest.get(output);
            if (block != null) {
                block.reads++;
            }
        }
        return new MemorySimulation(peak(steps, resident), cost);
    }

    /** A store reads until it is awaited, and a fetch makes memory. */
    private static Step transfer(
            RematProblem problem, SequenceStep move, Map<Integer, Block> latest, Map<Integer, Block> storing) {
        List<Block> read = new ArrayList<>();
        List<Block> made = new ArrayList<>();
        switch (move) {
            case SequenceStep.Run run -> throw new IllegalArgumentException(run + " is no transfer");
            case SequenceStep.Store store -> {
                read.add(latest.get(store.value()));
                storing.put(store.value(), latest.get(store.value()));
            }
            case SequenceStep.Await await -> read.add(storing.remove(await.value()));
            case SequenceStep.Fetch fetch -> {
                made.add(new Block(problem.bytes(fetch.value())));
                latest.put(fetch.value(), made.getFirst());
            }
        }
        read.forEach(block -> block.reads++);
        List<Block> nothing = new ArrayList<>();
        made.forEach(block -> nothing.add(null));
        return new Step(0, read, made, nothing);
    }

    /** Finds the memory that a node reads and gives each of its results memory of its own or its base's. */
    private static Step step(ProblemNode node, int firstResult, Map<Integer, Block> latest) {
        List<Block> read = new ArrayList<>();
        List<Integer> touched = new ArrayList<>(node.inputs());
        touched.addAll(node.writes());
        for (int input : touched) {
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
        return new Step(node.workspaceBytes(), read, made, replaceable);
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
            peak = Math.max(peak, live + step.workspace);
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
