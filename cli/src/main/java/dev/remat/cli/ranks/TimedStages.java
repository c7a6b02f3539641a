package dev.remat.cli.ranks;

import dev.remat.compiler.StageSet;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.SetTimes.StageTimes;
import dev.remat.compiler.pipeline.StageEvent;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Beside;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.compiler.pipeline.StageProgram;
import dev.remat.compiler.pipeline.Visit;
import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A step in stages by the clock: what each stage does, when, and of which visit it is. */
public final class TimedStages {
    /**
     * What one stage sends another.
     *
     * @param sent when the one has it
     * @param sentStep of the one
     * @param taken when the other has room for it
     * @param arrived when both go on
     * @param awaited step of the other in front of which it has arrived
     */
    public record Passed(
            String name,
            int from,
            int to,
            long bytes,
            long sent,
            int sentStep,
            long taken,
            long arrived,
            int awaited) {}

    /** An end of a message. */
    private record End(
            String name, int stage, int other, long bytes, long begin, int step, long arrived, int awaited) {}

    private final StageSet set;
    private final SetTimes times;
    private final List<StageProgram> programs;

    /** @param link between stages and between ranks, if that is known */
    public TimedStages(StageSet set, Optional<Link> link) {
        this.set = set;
        this.times = set.times(link);
        this.programs = set.programs(link);
    }

    public StageSet set() {
        return set;
    }

    public SetTimes times() {
        return times;
    }

    /** How many. */
    public int count() {
        return programs.size();
    }

    /** What a stage does. */
    public StageProgram program(int stage) {
        return programs.get(stage);
    }

    /** When it does so, event by event. */
    public StageTimes when(int stage) {
        return times.stages().get(stage);
    }

    public KernelStep kernel(int stage, int step) {
        return set.plans().stages().get(stage).steps().get(step);
    }

    /** How many ranks there are, each with all stages. */
    public int ranks() {
        return set.plans().stages().getFirst().ranks();
    }

    /** Bytes that a rank's stage takes from others of its kind in a step. */
    public long exchangedBytes(int stage) {
        RankTraffic traffic = RankTraffic.of(set.plans().stages().get(stage));
        return traffic.scatterBytes() + traffic.gatherBytes();
    }

    /** Whether costs are nanoseconds. */
    public boolean isTime() {
        return set.stages().getFirst().costs().isTime();
    }

    /** In which a step's value is made first; empty of what is of no micro-batch. */
    public Optional<Visit> own(int stage, int step) {
        return Optional.ofNullable(
                set.prepared().get(stage).visits().get(kernel(stage, step).name()));
    }

    /**
     * By event of a stage; what is computed again or of no visit belongs to that which it is for, which comes behind
     * it.
     */
    public List<Optional<Visit>> visits(int stage) {
        List<Optional<Visit>> visits = new ArrayList<>();
        Optional<Visit> next = Optional.empty();
        for (StageEvent event : programs.get(stage).events().reversed()) {
            if (event instanceof Run(int step, String _, long _)) {
                Optional<Visit> own = own(stage, step);
                next = own.isEmpty() || kernel(stage, step).recomputed() ? next : own;
            }
            visits.add(next);
        }
        return visits.reversed();
    }

    /** Of all stages, those of a sender together and in its order; the two ends of a pair go by their order. */
    public List<Passed> passed() {
        Map<List<Integer>, List<End>> takes = new TreeMap<>((a, b) -> a.get(0).equals(b.get(0))
                ? a.get(1).compareTo(b.get(1))
                : a.get(0).compareTo(b.get(0)));
        for (int stage = 0; stage < count(); stage++) {
            for (End end : ends(stage, false)) {
                takes.computeIfAbsent(List.of(end.other(), stage), _ -> new ArrayList<>())
                        .add(end);
            }
        }
        List<Passed> passed = new ArrayList<>();
        for (int stage = 0; stage < count(); stage++) {
            for (End sent : ends(stage, true)) {
                End taken = takes.get(List.of(stage, sent.other())).removeFirst();
                passed.add(new Passed(
                        sent.name(),
                        stage,
                        sent.other(),
                        sent.bytes(),
                        sent.begin(),
                        sent.step(),
                        taken.begin(),
                        taken.arrived(),
                        taken.awaited()));
            }
        }
        return passed;
    }

    private List<End> ends(int stage, boolean sends) {
        StageProgram program = programs.get(stage);
        Map<Integer, Integer> awaited = new TreeMap<>();
        program.events().forEach(event -> {
            if (event instanceof Await(int step, int begun)) {
                awaited.put(begun, step);
            }
        });
        List<End> ends = new ArrayList<>();
        int number = 0;
        for (int k = 0; k < program.events().size(); k++) {
            if (program.events().get(k) instanceof Beside beside) {
                if (beside instanceof Message message && message instanceof Send == sends) {
                    ends.add(new End(
                            message.name(),
                            stage,
                            message.other(),
                            message.bytes(),
                            when(stage).begins().get(k),
                            message.step(),
                            when(stage).ends().get(k),
                            awaited.get(number)));
                }
                number++;
            }
        }
        return ends;
    }
}
