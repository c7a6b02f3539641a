package dev.remat.compiler.plan;

import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Problems with tiers, in which some residents live, and valid sequences that move values at random. */
public final class RandomTransfers {
    private RandomTransfers() {}

    public static RematProblem problem(long seed, int layers) {
        Random random = new Random(seed);
        Random busy = new Random(~seed);
        RematProblem plain = RandomProblems.trainingStep(seed, layers);
        List<Tier> tiers = new ArrayList<>();
        for (int k = 0; k < 1 + random.nextInt(2); k++) {
            long store = 1_000_000_000L * (1 + random.nextInt(40)) + random.nextInt(1000);
            long fetch = 1_000_000_000L * (1 + random.nextInt(40)) + random.nextInt(1000);
            long interference = busy.nextInt(3) == 0 ? 0 : busy.nextInt(100_000);
            tiers.add(new Tier("tier" + k, 1000, store, fetch, random.nextInt(4), interference));
        }
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < plain.nodeCount(); n++) {
            ProblemNode node = plain.node(n);
            boolean below = node.resident() && random.nextInt(3) == 0;
            nodes.add(
                    below
                            ? node.withHome(random.nextInt(tiers.size()))
                            : random.nextInt(8) == 0 ? node.notOffloadable() : node);
        }
        return RematProblem.of("moved", nodes, plain.outputs(), tiers);
    }

    /** Computes some again, then brings what lives below and moves other values out and in, up to so many. */
    public static OperatorSequence of(RematProblem problem, Random random, int moves) {
        OperatorSequence plain = new KeepAll().plan(problem.withoutTiers(), PlannerOptions.none());
        List<Integer> steps = new ArrayList<>(plain.steps().boxed().toList());
        for (int v = 0; v < problem.valueCount(); v++) {
            if (problem.movable(v) && problem.resident(v)) {
                bring(problem, random, steps, v);
            }
        }
        OperatorSequence best = sequence(steps);
        for (int i = 0; i < moves; i++) {
            int v = random.nextInt(problem.valueCount());
            List<Integer> tried = new ArrayList<>(steps);
            int at = random.nextInt(tried.size() + 1);
            if (random.nextInt(4) == 0) {
                tried.add(at, random.nextInt(problem.nodeCount()));
                at = random.nextInt(tried.size() + 1);
            }
            int tier = problem.resident(v)
                    ? Math.max(0, problem.home(v))
                    : random.nextInt(problem.tiers().size());
            tried.add(at, new SequenceStep.Store(v, tier).code());
            int awaited = tried.size();
            if (random.nextInt(4) > 0) {
                awaited = at + 1 + random.nextInt(tried.size() - at);
                tried.add(awaited, new SequenceStep.Await(v).code());
            }
            if (random.nextInt(6) > 0) {
                int from = random.nextBoolean() ? Math.min(awaited, tried.size()) : at + 1;
                tried.add(from + random.nextInt(tried.size() - from + 1), new SequenceStep.Fetch(v).code());
            }
            if (SequenceEvaluator.evaluate(problem, sequence(tried)).valid()) {
                steps = tried;
                best = sequence(steps);
            }
        }
        return best;
    }

    /** Fetches before the first step that needs the value, somewhere, and stores what has been changed. */
    private static void bring(RematProblem problem, Random random, List<Integer> steps, int v) {
        int first = -1;
        int changed = -1;
        for (int t = 0; t < steps.size(); t++) {
            boolean run = steps.get(t) >= 0;
            boolean writes = run && problem.writes(steps.get(t)).contains(v);
            boolean needs = writes || run && problem.node(steps.get(t)).inputs().contains(v);
            first = first < 0 && needs ? t : first;
            changed = writes ? t : changed;
        }
        if (changed >= 0) {
            int at = changed + 1 + random.nextInt(steps.size() - changed);
            steps.add(at, new SequenceStep.Store(v, problem.home(v)).code());
        }
        if (first >= 0) {
            steps.add(random.nextInt(first + 1), new SequenceStep.Fetch(v).code());
        }
    }

    private static OperatorSequence sequence(List<Integer> steps) {
        return new OperatorSequence(
                "moved", steps.stream().mapToInt(Integer::intValue).toArray(), List.of());
    }
}
