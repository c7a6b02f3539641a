package dev.remat.compiler.plan;

import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a valid sequence on a clock that goes from event to event: whenever something ends, every lane that is idle
 * looks whether it can begin what is next. Written from the rules in {@code docs/tiers.md}, apart from
 * {@link TimelineEvaluator}, to check what that claims.
 *
 * @param begin per step
 * @param end per step
 * @param makespan when all lanes are done
 */
public record LaneSimulation(long[] begin, long[] end, long makespan) {
    /** Something that takes a while, once all that it needs is done. */
    private static final class Job {
        final int step;
        final long duration;
        final List<Job> needs = new ArrayList<>();
        /** Whether waiting is all that it does, so that it begins as it is come to. */
        boolean await;

        boolean done;

        Job(int step, long duration) {
            this.step = step;
            this.duration = duration;
        }

        boolean ready() {
            return needs.stream().allMatch(job -> job.done);
        }
    }

    /** Jobs that run one after the other; one that is not ready holds up what follows. */
    private static final class Queue {
        final Deque<Job> waiting = new ArrayDeque<>();
        Job running;
        long until;
    }

    public static LaneSimulation of(RematProblem problem, OperatorSequence sequence) {
        Map<Integer, Job> fetches = new LinkedHashMap<>();
        Map<Integer, Job> stores = new LinkedHashMap<>();
        Map<Integer, Integer> tiers = new LinkedHashMap<>();
        List<Job> jobs = new ArrayList<>();
        Map<Job, Integer> laneOf = new LinkedHashMap<>();
        for (int t = 0; t < sequence.length(); t++) {
            Job job = switch (sequence.step(t)) {
                case SequenceStep.Run run -> run(problem, t, run.node(), fetches);
                case SequenceStep.Store store -> {
                    Job moving = new Job(t, nanos(problem, store.value(), store.tier(), true));
                    if (fetches.containsKey(store.value())) {
                        moving.needs.add(fetches.get(store.value()));
                    }
                    stores.put(store.value(), moving);
                    tiers.put(store.value(), store.tier());
                    laneOf.put(moving, 1 + 2 * store.tier());
                    yield moving;
                }
                case SequenceStep.Await await -> {
                    Job waiting = new Job(t, 0);
                    waiting.await = true;
                    waiting.needs.add(stores.get(await.value()));
                    yield waiting;
                }
                case SequenceStep.Fetch fetch -> {
                    int tier = tiers.getOrDefault(fetch.value(), problem.home(fetch.value()));
                    Job moving = new Job(t, nanos(problem, fetch.value(), tier, false));
                    if (stores.containsKey(fetch.value())) {
                        moving.needs.add(stores.get(fetch.value()));
                    }
                    fetches.put(fetch.value(), moving);
                    laneOf.put(moving, 2 + 2 * tier);
                    yield moving;
                }
            };
            jobs.add(job);
            if (laneOf.containsKey(job)) {
                int tier = (laneOf.get(job) - 1) / 2;
                long lost = lost(problem, sequence.step(t), tier);
                // What the compute lane loses stands in it as work of its own.
                jobs.add(new Job(sequence.length(), lost));
            }
        }
        return simulate(problem, sequence.length(), jobs, laneOf);
    }

    private static long lost(RematProblem problem, SequenceStep move, int tier) {
        int value = move instanceof SequenceStep.Store store ? store.value() : ((SequenceStep.Fetch) move).value();
        return BigDecimal.valueOf(problem.bytes(value))
                .multiply(BigDecimal.valueOf(problem.tiers().get(tier).interferenceNanosPerMegabyte()))
                .movePointLeft(6)
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }

    private static Job run(RematProblem problem, int step, int node, Map<Integer, Job> fetches) {
        Job job = new Job(step, problem.cost(node));
        List<Integer> touched = new ArrayList<>(problem.node(node).inputs());
        touched.addAll(problem.writes(node));
        for (int value : touched) {
            if (fetches.containsKey(value)) {
                job.needs.add(fetches.get(value));
            }
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            fetches.remove(v);
        }
        return job;
    }

    private static long nanos(RematProblem problem, int value, int tier, boolean store) {
        var lane = problem.tiers().get(tier);
        long rate = store ? lane.storeBytesPerSecond() : lane.fetchBytesPerSecond();
        return BigDecimal.valueOf(problem.bytes(value))
                .movePointRight(9)
                .divide(BigDecimal.valueOf(rate), 0, RoundingMode.CEILING)
                .add(BigDecimal.valueOf(lane.latencyNanos()))
                .longValueExact();
    }

    private static LaneSimulation simulate(RematProblem problem, int steps, List<Job> jobs, Map<Job, Integer> laneOf) {
        // The last is of what no step is.
        long[] begin = new long[steps + 1];
        long[] end = new long[steps + 1];
        List<Queue> lanes = new ArrayList<>();
        for (int i = 0; i <= 2 * problem.tiers().size(); i++) {
            lanes.add(new Queue());
        }
        long now = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            now += node.resident() ? node.cost() : 0;
        }
        Deque<Job> program = new ArrayDeque<>(jobs);
        Queue compute = lanes.getFirst();
        while (true) {
            boolean changed = true;
            while (changed) {
                changed = false;
                // What the compute lane comes to is issued, and awaits pass it as soon as they may.
                while (compute.running == null && !program.isEmpty() && compute.waiting.isEmpty()) {
                    Job next = program.remove();
                    lanes.get(laneOf.getOrDefault(next, 0)).waiting.add(next);
                    begin[next.step] = now;
                    changed = true;
                }
                for (Queue lane : lanes) {
                    if (lane.running != null && lane.until == now) {
                        lane.running.done = true;
                        end[lane.running.step] = now;
                        lane.running = null;
                        changed = true;
                    }
                    if (lane.running == null
                            && !lane.waiting.isEmpty()
                            && lane.waiting.peek().ready()) {
                        lane.running = lane.waiting.remove();
                        begin[lane.running.step] = lane.running.await ? begin[lane.running.step] : now;
                        lane.until = now + lane.running.duration;
                        changed = true;
                    }
                }
            }
            long next = lanes.stream()
                    .filter(lane -> lane.running != null)
                    .mapToLong(lane -> lane.until)
                    .min()
                    .orElse(-1);
            if (next < 0) {
                return new LaneSimulation(Arrays.copyOf(begin, steps), Arrays.copyOf(end, steps), now);
            }
            now = next;
        }
    }
}
