package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.plan.Columns.Words;
import dev.remat.cli.ranks.TimedStages;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.pipeline.StageEvent;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Beside;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.Visit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One stage by the clock: its steps and the visits that they are of, its waits, and what is in its arena when. */
final class StageColumns {
    private static final int NONE = -1;
    /** What a step does beyond the phases of visits: something of no visit, something again, a message's begin. */
    private static final int OTHER = 3;

    private static final int AGAIN = 4;
    private static final int MESSAGE = 5;

    /** @param kind a phase of a visit, or what stands above */
    private record Step(String name, long begin, long nanos, int kind, int visit) {}

    /** @param ranks whether it is for other ranks */
    private record Wait(int step, String what, boolean ranks, long begin, long nanos) {}

    private record Exchanged(int step, String name, long begin, long nanos) {}

    private final TimedStages stages;
    private final int stage;
    private final Map<Visit, Integer> visits = new LinkedHashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private final List<Exchanged> exchanges = new ArrayList<>();
    private final List<Stay> stays;

    StageColumns(TimedStages stages, int stage) {
        this.stages = stages;
        this.stage = stage;
        this.stays = PlanAccount.of(stages.set().stages().get(stage)).stays();
        List<StageEvent> events = stages.program(stage).events();
        List<Optional<Visit>> visiting = stages.visits(stage);
        List<Beside> begun = stages.program(stage).begun();
        for (int k = 0; k < events.size(); k++) {
            long begin = stages.when(stage).begins().get(k);
            long nanos = stages.when(stage).ends().get(k) - begin;
            int visit = visiting.get(k).map(this::number).orElse(NONE);
            switch (events.get(k)) {
                case Run(int step, String name, long _) -> steps.add(new Step(name, begin, nanos, kind(step), visit));
                case Exchange exchange -> {
                    exchanges.add(new Exchanged(
                            exchange.step(), exchange.name(), begin + nanos - exchange.nanos(), exchange.nanos()));
                    steps.add(new Step(exchange.name(), begin, 0, MESSAGE, visit));
                }
                case Message message -> steps.add(new Step(message.name(), begin, 0, MESSAGE, visit));
                case Await(int step, int number) -> {
                    if (nanos > 0) {
                        Beside what = begun.get(number);
                        waits.add(new Wait(step, what.name(), what instanceof Exchange, begin, nanos));
                    }
                }
            }
        }
    }

    private int number(Visit visit) {
        return visits.computeIfAbsent(visit, _ -> visits.size());
    }

    private int kind(int step) {
        return stages.kernel(stage, step).recomputed()
                ? AGAIN
                : stages.own(stage, step).map(visit -> visit.phase().ordinal()).orElse(OTHER);
    }

    void write(JsonGenerator out) throws IOException {
        out.writeStartObject();
        Columns.write(out, "visits", List.copyOf(visits.keySet()), columns -> {
            columns.letters("phase", visit -> visit.phase().ordinal());
            columns.numbers("part", Visit::part);
            columns.numbers("microBatch", Visit::microBatch);
        });
        Columns.write(out, "steps", steps, columns -> {
            columns.texts("name", Step::name);
            columns.differences("begin", Step::begin);
            columns.numbers("span", Step::nanos);
            columns.letters("kind", Step::kind);
            columns.differences("visit", Step::visit);
        });
        Columns.write(out, "waits", waits, columns -> {
            columns.texts("name", Wait::what);
            columns.letters("ranks", wait -> wait.ranks() ? 1 : 0);
            columns.differences("step", Wait::step);
            columns.differences("begin", Wait::begin);
            columns.numbers("span", Wait::nanos);
        });
        Columns.write(out, "exchanges", exchanges, columns -> {
            columns.texts("name", Exchanged::name);
            columns.differences("step", Exchanged::step);
            columns.differences("begin", Exchanged::begin);
            columns.numbers("span", Exchanged::nanos);
        });
        long block = stages.set().stages().get(stage).target().alignment();
        Words names = new Words();
        Columns.write(out, "stays", stays, columns -> {
            columns.numbers("name", stay -> stay.name().map(names::index).orElse(NONE));
            columns.letters("kind", stay -> stay.kind().ordinal());
            columns.numbers("offset", stay -> stay.offset() / block);
            columns.numbers("blocks", stay -> stay.bytes() / block);
            columns.differences("first", Stay::first);
            columns.numbers("span", stay -> stay.last() - stay.first());
        });
        names.write(out, "names");
        out.writeEndObject();
    }
}
