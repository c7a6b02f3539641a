package dev.remat.cli.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.TraceEvents;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RoundTimes;
import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.compiler.account.StepFacts;
import dev.remat.compiler.account.StepTimes;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A planned step in the JSON that Perfetto and Chrome's tracing read (the Trace Event Format): every kernel a slice
 * of its time, runs of recomputations as slices of a track below, what lanes move and what ranks exchange on tracks of
 * their own, and counters of live bytes by kind. Of a step that is cut into micro-batches every round is told as it
 * runs, in a slice around its kernels. Each reckoning of times is a process of its own, so that predicted and measured
 * steps lie one above the other from the same instant on; where there are two, every slice tells both. Times are in
 * microseconds; where costs are no times, a unit counts as one.
 *
 * @param times at least one
 */
public record PlanTrace(PlanAccount account, List<StepTimes> times) {
    private static final int KERNELS = 1;
    private static final int RECOMPUTATION = 2;
    /** Of the first place that tensors are moved to: its lane that stores; the lane that fetches is the next. */
    private static final int LANES = 3;

    public PlanTrace {
        times = List.copyOf(times);
    }

    public byte[] bytes() {
        return TraceEvents.bytes(out -> {
            String title = ViewText.title(account.compilation());
            for (int i = 0; i < times.size(); i++) {
                String source = times.size() == 1 ? "" : ": " + times.get(i).source();
                new Reckoning(out, i + 1, times.get(i)).write(title + source);
            }
        });
    }

    /** The step by one reckoning. */
    private final class Reckoning {
        private final TraceEvents events;
        private final JsonGenerator out;
        private final int id;
        private final StepTimes clock;
        private final List<StepFacts> steps;

        Reckoning(TraceEvents events, int id, StepTimes clock) {
            this.events = events;
            this.out = events.json();
            this.id = id;
            this.clock = clock;
            this.steps = IntStream.range(0, account.stepCount())
                    .mapToObj(account::step)
                    .toList();
        }

        void write(String title) throws IOException {
            name("process_name", 0, title);
            name("thread_name", KERNELS, "kernels");
            name("thread_name", RECOMPUTATION, "recomputation");
            List<PlaceSize> places = account.compilation().plan().transfers().places();
            for (int place = 0; place < places.size(); place++) {
                name(
                        "thread_name",
                        LANES + 2 * place,
                        "store to " + places.get(place).name());
                name(
                        "thread_name",
                        LANES + 2 * place + 1,
                        "fetch from " + places.get(place).name());
            }
            if (account.compilation().plan().ranks() > 1) {
                name("thread_name", exchanges(), "exchanges");
            }
            writeSteps();
        }

        /** The track behind those of places. */
        private int exchanges() {
            return LANES + 2 * account.compilation().plan().transfers().places().size();
        }

        /** All rounds as they run, the kernels of each in a slice of their own. */
        private void writeSteps() throws IOException {
            ExecutionPlan plan = account.compilation().plan();
            long start = 0;
            for (Section section : account.sections()) {
                RoundTimes when = account.round(section, clock);
                for (int round = 0; round < section.times(); round++) {
                    if (plan.isInSections()) {
                        String count = section.times() == 1 ? "" : " " + (round + 1) + " of " + section.times();
                        begin(plan.nameOf(section) + count, "round", KERNELS, start, when.end());
                        out.writeEndObject();
                    }
                    writeKernels(section, round, start, when);
                    for (RoundTimes.Slice moved : when.transfers()) {
                        transfer(moved, start);
                    }
                    Optional<Exchanged> before = Optional.empty();
                    for (Exchanged exchanged : when.exchanges()) {
                        boolean follows =
                                exchanged.begin() > when.begin(exchanged.sent().step());
                        Optional<String> waitsFor = before.filter(_ -> follows)
                                .map(each -> each.sent().name());
                        exchange(exchanged, waitsFor, section, start);
                        before = Optional.of(exchanged);
                    }
                    start += when.end();
                }
            }
        }

        private void writeKernels(Section section, int round, long begin, RoundTimes when) throws IOException {
            Set<Integer> exchanges =
                    when.exchanges().stream().map(each -> each.sent().step()).collect(Collectors.toSet());
            long againSince = 0;
            int again = 0;
            for (int k = section.from(); k < section.to(); k++) {
                StepFacts step = steps.get(k);
                long start = begin + when.begin(k);
                counters(step, start);
                if (!exchanges.contains(k)) {
                    kernel(step, round, start);
                }
                if (step.again()) {
                    againSince = again == 0 ? start : againSince;
                    again++;
                }
                boolean ends = k + 1 == section.to() || !steps.get(k + 1).again();
                if (again > 0 && ends) {
                    begin(
                            "recompute " + again,
                            "recomputation",
                            RECOMPUTATION,
                            againSince,
                            start + clock.cost(k) - againSince);
                    out.writeEndObject();
                    again = 0;
                }
            }
        }

        private void transfer(RoundTimes.Slice moved, long begin) throws IOException {
            Transfer transfer = moved.transfer();
            int track = LANES + transfer.laneNumber();
            begin(transfer.name(), "transfer", track, begin + moved.begin(), moved.end() - moved.begin());
            out.writeObjectFieldStart("args");
            out.writeNumberField("bytes", transfer.range().bytes());
            out.writeEndObject();
            out.writeEndObject();
        }

        /** @param waitsFor the exchange before it, where kernels have come to this one while that still ran */
        private void exchange(Exchanged exchanged, Optional<String> waitsFor, Section section, long begin)
                throws IOException {
            begin(
                    exchanged.sent().name(),
                    "exchange",
                    exchanges(),
                    begin + exchanged.begin(),
                    exchanged.end() - exchanged.begin());
            out.writeObjectFieldStart("args");
            out.writeNumberField("step", exchanged.sent().step());
            out.writeNumberField("bytes", exchanged.sent().bytes());
            out.writeStringField("waits for", waitsFor.orElse("all ranks"));
            out.writeStringField(
                    "awaited by",
                    exchanged.awaited() < section.to()
                            ? steps.get(exchanged.awaited()).name()
                            : "the end of the round");
            out.writeNumberField("waited us", micros(clock, exchanged.waited()));
            out.writeEndObject();
            out.writeEndObject();
        }

        private void kernel(StepFacts step, int round, long start) throws IOException {
            begin(
                    step.name(),
                    step.again() ? "recomputation" : step.role().label(),
                    KERNELS,
                    start,
                    clock.cost(step.index()));
            out.writeObjectFieldStart("args");
            out.writeNumberField("step", step.index());
            if (step.times() > 1) {
                out.writeNumberField("micro-batch", round + 1);
            }
            out.writeStringField("op", step.op());
            out.writeStringField("phase", step.role().label());
            out.writeStringField("at", step.location().toString());
            out.writeStringField("layer", step.scope());
            if (times.size() > 1) {
                for (StepTimes each : times) {
                    out.writeNumberField(each.source() + " us", micros(each, each.cost(step.index())));
                }
                if (clock.estimated().get(step.index())) {
                    out.writeBooleanField("estimated", true);
                }
            }
            out.writeEndObject();
            out.writeEndObject();
        }

        private void counters(StepFacts step, long start) throws IOException {
            out.writeStartObject();
            out.writeStringField("ph", "C");
            out.writeStringField("name", "live bytes");
            out.writeNumberField("pid", id);
            out.writeNumberField("ts", micros(clock, start));
            out.writeObjectFieldStart("args");
            for (Kind kind : Kind.values()) {
                out.writeNumberField(kind.label(), step.live().getOrDefault(kind, 0L));
            }
            out.writeEndObject();
            out.writeEndObject();
        }

        /** A slice; the object stays open. */
        private void begin(String name, String category, int track, long start, long cost) throws IOException {
            events.begin(id, name, category, track, micros(clock, start), micros(clock, cost));
        }

        private void name(String what, int track, String name) throws IOException {
            events.name(id, what, track, name);
        }
    }

    private static double micros(StepTimes clock, long cost) {
        return clock.isTime() ? cost / 1e3 : cost;
    }
}
