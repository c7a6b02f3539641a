package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What stages do by a schedule where each part of a model hands one value to the next and gets its gradient back: what
 * a schedule takes, before anything is planned.
 */
public final class VisitPrograms {
    /** When a stage computes again what it needs of a forward visit. */
    public enum Repeats {
        NEVER,
        /** Once the gradient has arrived. */
        LATE,
        /** While it may still be on its way. */
        EARLY
    }

    /**
     * What a visit of a part takes.
     *
     * @param backward with the gradients of parameters, unless {@code weights} has them
     * @param weights gradients of parameters by themselves, by schedules that split them off
     * @param repeat what is computed again in front of a backward visit
     * @param bytes that the part sends on; as many come back
     */
    public record PartCosts(long forward, long backward, long weights, long repeat, long bytes) {}

    /** What a visit needs of another part. */
    private record Need(int from, String name, long bytes) {}

    private final List<List<Visit>> orders;
    private final List<PartCosts> parts;
    private final Repeats repeats;

    private VisitPrograms(List<List<Visit>> orders, List<PartCosts> parts, Repeats repeats) {
        this.orders = orders;
        this.parts = parts;
        this.repeats = repeats;
    }

    /**
     * By stage.
     *
     * @param parts of the model, in order
     */
    public static List<StageProgram> of(
            Schedule schedule, int stages, int microBatches, List<PartCosts> parts, Repeats repeats) {
        if (parts.size() != stages * schedule.partsEach()) {
            throw new IllegalArgumentException(parts.size() + " parts on " + stages + " stages by " + schedule);
        }
        return new VisitPrograms(schedule.orders(stages, microBatches), parts, repeats).run();
    }

    private List<StageProgram> run() {
        List<StageProgram> programs = new ArrayList<>();
        for (int stage = 0; stage < orders.size(); stage++) {
            programs.add(program(stage));
        }
        return programs;
    }

    private int stage(int part) {
        return part % orders.size();
    }

    /** What comes from another stage for a visit. */
    private List<Need> needs(Visit visit) {
        boolean forward = visit.phase() == Phase.FORWARD;
        int from = visit.part() + (forward ? -1 : 1);
        if (visit.phase() == Phase.WEIGHTS || from < 0 || from == parts.size() || stage(from) == stage(visit.part())) {
            return List.of();
        }
        long bytes = parts.get(Math.min(from, visit.part())).bytes();
        return List.of(new Need(stage(from), name(visit.part(), forward, visit.microBatch()), bytes));
    }

    private static String name(int part, boolean forward, int microBatch) {
        return (forward ? "h" : "grad.h") + part + "." + microBatch;
    }

    /** Where each message is taken: one visit before it is needed, and in the order in which its stage sends it. */
    private Map<Integer, List<Need>> taken(int stage) {
        List<Visit> order = orders.get(stage);
        Map<String, Integer> at = new LinkedHashMap<>();
        Map<String, Need> needed = new LinkedHashMap<>();
        for (int k = 0; k < order.size(); k++) {
            for (Need need : needs(order.get(k))) {
                at.put(need.name(), Math.max(0, k - 1));
                needed.put(need.name(), need);
            }
        }
        for (List<Visit> sender : orders) {
            int last = Integer.MAX_VALUE;
            for (Visit visit : sender.reversed()) {
                String sent = sentTo(visit).name();
                if (at.containsKey(sent) && sentTo(visit).from() == stage) {
                    last = Math.min(last, at.get(sent));
                    at.put(sent, last);
                }
            }
        }
        Map<Integer, List<Need>> taken = new LinkedHashMap<>();
        for (List<Visit> sender : orders) {
            for (Visit visit : sender) {
                Need need = needed.get(sentTo(visit).name());
                if (need != null && sentTo(visit).from() == stage) {
                    taken.computeIfAbsent(at.get(need.name()), _ -> new ArrayList<>())
                            .add(need);
                }
            }
        }
        return taken;
    }

    /** What a visit makes for another part, with the stage of that; nothing has the name of nobody. */
    private Need sentTo(Visit visit) {
        boolean forward = visit.phase() == Phase.FORWARD;
        int to = visit.part() + (forward ? 1 : -1);
        boolean sends =
                visit.phase() != Phase.WEIGHTS && to >= 0 && to < parts.size() && stage(to) != stage(visit.part());
        return sends
                ? new Need(
                        stage(to),
                        name(to, forward, visit.microBatch()),
                        parts.get(Math.min(to, visit.part())).bytes())
                : new Need(-1, "", 0);
    }

    private StageProgram program(int stage) {
        List<StageEvent> events = new ArrayList<>();
        Map<String, Integer> numbers = new LinkedHashMap<>();
        Map<Integer, List<Need>> taken = taken(stage);
        List<Visit> order = orders.get(stage);
        for (int k = 0; k < order.size(); k++) {
            for (Need need : taken.getOrDefault(k, Collections.emptyList())) {
                begin(new Receive(k, need.name(), need.from(), need.bytes()), events, numbers);
            }
            visit(k, order.get(k), events, numbers);
            Need sent = sentTo(order.get(k));
            if (sent.from() >= 0) {
                begin(new Send(k, sent.name(), sent.from(), sent.bytes()), events, numbers);
            }
        }
        return new StageProgram(events);
    }

    private static void begin(Message message, List<StageEvent> events, Map<String, Integer> numbers) {
        numbers.put(message.name(), numbers.size());
        events.add(message);
    }

    private void visit(int step, Visit visit, List<StageEvent> events, Map<String, Integer> numbers) {
        PartCosts costs = parts.get(visit.part());
        boolean repeated = visit.phase() == Phase.BACKWARD && repeats != Repeats.NEVER;
        Run repeat = new Run(step, "repeat " + visit, costs.repeat());
        if (repeated && repeats == Repeats.EARLY) {
            events.add(repeat);
        }
        needs(visit).forEach(need -> events.add(new Await(step, numbers.get(need.name()))));
        if (repeated && repeats == Repeats.LATE) {
            events.add(repeat);
        }
        events.add(new Run(
                step,
                visit.toString(),
                switch (visit.phase()) {
                    case FORWARD -> costs.forward();
                    case BACKWARD -> costs.backward();
                    case WEIGHTS -> costs.weights();
                }));
    }
}
