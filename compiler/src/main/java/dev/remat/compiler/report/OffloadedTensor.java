package dev.remat.compiler.report;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.plan.evaluate.StepTimeline;
import dev.remat.compiler.plan.evaluate.StepTimeline.Wait;
import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A tensor that leaves the arena and comes back, once for each time that it does.
 *
 * @param bytes that are fetched
 * @param place that holds it in the meantime
 * @param storedAfter the tensor that is computed right before it is stored; empty where it lies below from the start
 * @param fetchedBefore the tensor whose computation follows where it begins to come back
 * @param times how often it does in a step: once, or in each micro-batch
 * @param exposedNanos that kernels wait until it has come back, and for its store if that was the first time; each time
 * @param laneNanos that its transfers take in their lanes, as far as this way has them
 * @param awayNanos from when it begins to be stored, or to be fetched where it lies below from the start, until the
 *     first reader begins
 * @param reason why it is moved
 */
public record OffloadedTensor(
        String name,
        long bytes,
        Location location,
        String place,
        Optional<String> storedAfter,
        String fetchedBefore,
        int times,
        long exposedNanos,
        long laneNanos,
        long awayNanos,
        String reason) {
    private static final String PIN = "pin";

    /** All of a step. */
    public static List<OffloadedTensor> of(Compilation compilation) {
        return compilation.sections().stream()
                .flatMap(section -> of(section).stream())
                .toList();
    }

    /** All of a section, in the order in which they begin to come back. */
    private static List<OffloadedTensor> of(PlacedSection section) {
        PlanningProblem planning = section.planning();
        RematProblem problem = planning.problem();
        OperatorSequence sequence = section.sequence();
        if (!sequence.movesValues()) {
            return List.of();
        }
        StepTimeline timeline = TimelineEvaluator.evaluate(problem, sequence);
        long[] exposed = new long[sequence.length()];
        for (Wait wait : timeline.waits()) {
            exposed[wait.transfer()] += wait.nanos();
        }
        Graph graph = planning.fused().graph();
        int[] stored = new int[problem.valueCount()];
        Arrays.fill(stored, -1);
        List<OffloadedTensor> tensors = new ArrayList<>();
        for (int t = 0; t < sequence.length(); t++) {
            if (sequence.runs(t)) {
                continue;
            }
            switch (sequence.step(t)) {
                case SequenceStep.Run run -> throw new IllegalStateException(run + " is no transfer");
                case SequenceStep.Store store -> stored[store.value()] = t;
                case SequenceStep.Await _ -> {}
                case SequenceStep.Fetch(int value) -> {
                    int store = stored[value];
                    int tier = store < 0 ? problem.home(value) : ((SequenceStep.Store) sequence.step(store)).tier();
                    tensors.add(new OffloadedTensor(
                            problem.valueId(value),
                            problem.bytes(value),
                            graph.location(planning.values().get(value)),
                            tier == ProblemNode.DEVICE
                                    ? ""
                                    : problem.tiers().get(tier).name(),
                            computed(planning, sequence, store, -1),
                            computed(planning, sequence, t, 1).orElse(""),
                            section.rounds(),
                            exposed[t] + (store < 0 ? 0 : exposed[store]),
                            nanos(timeline, t) + (store < 0 ? 0 : nanos(timeline, store)),
                            firstRead(problem, sequence, timeline, t) - timeline.begin()[store < 0 ? t : store],
                            problem.pin(problem.producer(value)) == Pin.OFFLOAD ? PIN : sequence.strategy()));
                    exposed[Math.max(store, 0)] = 0;
                }
            }
        }
        return tensors;
    }

    private static long nanos(StepTimeline timeline, int transfer) {
        return timeline.end()[transfer] - timeline.begin()[transfer];
    }

    /** When the first node that reads what a step fetches begins. */
    private static long firstRead(RematProblem problem, OperatorSequence sequence, StepTimeline timeline, int fetch) {
        int value = ((SequenceStep.Fetch) sequence.step(fetch)).value();
        for (int t = fetch + 1; t < sequence.length(); t++) {
            for (int k = 0; sequence.runs(t) && k < problem.inputCount(sequence.node(t)); k++) {
                if (problem.input(sequence.node(t), k) == value) {
                    return timeline.begin()[t];
                }
            }
        }
        throw new IllegalStateException("nothing reads '" + problem.valueId(value) + "' behind its fetch");
    }

    /** What the nearest node that runs makes, going from a step in a direction. */
    private static Optional<String> computed(PlanningProblem planning, OperatorSequence sequence, int from, int by) {
        for (int t = from; t >= 0 && t < sequence.length(); t += by) {
            if (sequence.runs(t)) {
                int first = planning.problem().firstResult(sequence.node(t));
                Graph graph = planning.fused().graph();
                return first < planning.problem().endResult(sequence.node(t))
                        ? Optional.of(planning.problem().valueId(first))
                        : Optional.of(graph.value(graph.node(
                                                planning.group(sequence.node(t)).root())
                                        .results()
                                        .getFirst())
                                .name());
            }
        }
        return Optional.empty();
    }
}
