package dev.remat.compiler.account;

import dev.remat.compiler.plan.evaluate.StepTimeline;
import dev.remat.compiler.plan.evaluate.StepTimeline.Wait;
import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
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
        Value value,
        long bytes,
        Location location,
        String place,
        Optional<Value> storedAfter,
        Value fetchedBefore,
        int times,
        long exposedNanos,
        long laneNanos,
        long awayNanos,
        String reason) {
    private static final String PIN = "pin";

    /** All of a step. */
    static List<OffloadedTensor> all(WholeStep step) {
        return step.parts().stream()
                .flatMap(part -> of(part, step.source()).stream())
                .toList();
    }

    /** All of a section, in the order in which they begin to come back. */
    private static List<OffloadedTensor> of(SectionPart part, Graph source) {
        PlacedSection section = part.section();
        RematProblem problem = section.planning().problem();
        OperatorSequence sequence = section.sequence();
        if (!sequence.movesValues()) {
            return List.of();
        }
        StepTimeline timeline = TimelineEvaluator.evaluate(problem, sequence);
        long[] exposed = new long[sequence.length()];
        for (Wait wait : timeline.waits()) {
            exposed[wait.transfer()] += wait.nanos();
        }
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
                            source.value(part.value(value)),
                            problem.bytes(value),
                            source.location(part.value(value)),
                            tier == ProblemNode.DEVICE
                                    ? ""
                                    : problem.tiers().get(tier).name(),
                            computed(part, store, -1).map(source::value),
                            computed(part, t, 1).map(source::value).orElseThrow(),
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
    private static Optional<ValueId> computed(SectionPart part, int from, int by) {
        OperatorSequence sequence = part.section().sequence();
        PlanningProblem planning = part.section().planning();
        for (int t = from; t >= 0 && t < sequence.length(); t += by) {
            if (sequence.runs(t)) {
                int node = sequence.node(t);
                int first = planning.problem().firstResult(node);
                return Optional.of(
                        first < planning.problem().endResult(node)
                                ? part.value(first)
                                : part.made(planning.group(node)));
            }
        }
        return Optional.empty();
    }
}
