package dev.remat.cli.ranks;

import dev.remat.cli.console.TraceEvents;
import dev.remat.compiler.pipeline.SetTimes.StageTimes;
import dev.remat.compiler.pipeline.StageEvent;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Beside;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.compiler.pipeline.Visit;
import dev.remat.ir.execution.KernelStep;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A step in stages as a trace. Each stage is a process of its own, the first above: a track of visits with their
 * kernels and waits, one of what is sent, one of what is taken, from where there is room for it, and one of what ranks
 * exchange. Where costs are no times, a unit counts as a microsecond.
 */
public final class StageTrace {
    private static final int KERNELS = 1;
    private static final int SENT = 2;
    private static final int TAKEN = 3;
    private static final int EXCHANGED = 4;
    private static final double NANOS_PER_MICRO = 1e3;

    private final TimedStages stages;
    private final double unit;

    public StageTrace(TimedStages stages) {
        this.stages = stages;
        this.unit = stages.isTime() ? NANOS_PER_MICRO : 1;
    }

    public byte[] bytes() {
        return TraceEvents.bytes(out -> {
            for (int stage = 0; stage < stages.count(); stage++) {
                new Tracks(out, stage).write();
            }
        });
    }

    /** Those of a stage. */
    private final class Tracks {
        private final TraceEvents out;
        private final int stage;
        private final List<StageEvent> events;
        private final StageTimes when;

        Tracks(TraceEvents out, int stage) {
            this.out = out;
            this.stage = stage;
            this.events = stages.program(stage).events();
            this.when = stages.when(stage);
        }

        void write() throws IOException {
            name("process_name", 0, "stage " + stage);
            name("thread_name", KERNELS, "kernels");
            name("thread_name", SENT, "sends");
            name("thread_name", TAKEN, "takes");
            if (stages.ranks() > 1) {
                name("thread_name", EXCHANGED, "exchanges with ranks");
            }
            writeVisits();
            List<Beside> begun = stages.program(stage).begun();
            for (int k = 0; k < events.size(); k++) {
                long begin = when.begins().get(k);
                long end = when.ends().get(k);
                switch (events.get(k)) {
                    case Run(int step, String name, long _) -> kernel(step, name, begin, end);
                    case Message message ->
                        slice(
                                message.name() + (message instanceof Send ? " to " : " from ") + message.other(),
                                "message",
                                message instanceof Send ? SENT : TAKEN,
                                begin,
                                end);
                    case Exchange(int _, String name, long nanos, long _) ->
                        slice(name, "exchange", EXCHANGED, end - nanos, end);
                    case Await(int _, int number) -> {
                        if (end > begin) {
                            slice("waits for " + begun.get(number).name(), "wait", KERNELS, begin, end);
                        }
                    }
                }
            }
        }

        /** Around the kernels of each, and what these wait for in between. */
        private void writeVisits() throws IOException {
            List<Optional<Visit>> visits = stages.visits(stage);
            Optional<Visit> open = Optional.empty();
            long since = 0;
            long until = 0;
            for (int k = 0; k < events.size(); k++) {
                if (events.get(k) instanceof Run) {
                    Optional<Visit> visit = visits.get(k);
                    if (!visit.equals(open)) {
                        writeVisit(open, since, until);
                        since = when.begins().get(k);
                        open = visit;
                    }
                    until = when.ends().get(k);
                }
            }
            writeVisit(open, since, until);
        }

        private void writeVisit(Optional<Visit> visit, long begin, long end) throws IOException {
            if (visit.isPresent() && end > begin) {
                Visit of = visit.get();
                String phase = of.phase().name().toLowerCase(Locale.ROOT);
                String part = stages.set().staging().schedule().partsEach() == 1 ? "" : ", part " + of.part();
                slice(phase + " " + of.microBatch() + part, phase, KERNELS, begin, end);
            }
        }

        private void kernel(int step, String name, long begin, long end) throws IOException {
            KernelStep kernel = stages.kernel(stage, step);
            String category =
                    kernel.recomputed() ? "recomputed" : kernel.role().name().toLowerCase(Locale.ROOT);
            slice(name, category, KERNELS, begin, end);
        }

        private void name(String kind, int track, String text) throws IOException {
            out.name(stage + 1, kind, track, text);
        }

        private void slice(String name, String category, int track, long begin, long end) throws IOException {
            out.begin(stage + 1, name, category, track, begin / unit, (end - begin) / unit);
            out.json().writeEndObject();
        }
    }
}
