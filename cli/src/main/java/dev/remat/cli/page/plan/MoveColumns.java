package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.account.Copy;
import dev.remat.compiler.account.OffloadedTensor;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RoundTimes;
import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.compiler.account.RoundTimes.Slice;
import dev.remat.compiler.account.StepMovement;
import dev.remat.compiler.account.StepTimes;
import dev.remat.ir.execution.Section;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What runs beside the kernels of a plan: the clock of the step, with each section once, what is moved below the arena
 * and exchanged among ranks by it, what lies below when, and the way of each tensor.
 */
final class MoveColumns {
    /** Time in which no kernel runs, in front of a step. */
    private record Wait(int step, long nanos) {}

    private final PlanAccount account;
    private final List<Wait> waits = new ArrayList<>();
    private final List<Slice> slices = new ArrayList<>();
    private final List<Exchanged> exchanges = new ArrayList<>();
    private long end;

    MoveColumns(PlanAccount account) {
        this.account = account;
        StepTimes times = account.times(account.compilation().costs());
        long kernels = 0;
        for (Section section : account.sections()) {
            RoundTimes round = account.round(section, times);
            Set<Integer> exchanging =
                    round.exchanges().stream().map(each -> each.sent().step()).collect(Collectors.toSet());
            for (int step = section.from(); step < section.to(); step++) {
                long begin = end + round.begin(step);
                if (begin > kernels) {
                    waits.add(new Wait(step, begin - kernels));
                }
                boolean exchanged = exchanging.contains(step);
                kernels = begin + (exchanged ? 0 : times.cost(step));
            }
            for (Slice slice : round.transfers()) {
                slices.add(new Slice(slice.transfer(), end + slice.begin(), end + slice.end()));
            }
            for (Exchanged each : round.exchanges()) {
                exchanges.add(new Exchanged(
                        each.sent(), each.awaited(), end + each.begin(), end + each.end(), each.waited()));
            }
            end += round.end();
        }
    }

    void write(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("moves");
        JsonFields.objects(
                out, "places", account.compilation().plan().transfers().places(), place -> {
                    out.writeStringField("name", place.name());
                    out.writeNumberField("bytes", place.bytes());
                });
        out.writeNumberField("end", end);
        Columns.write(out, "waits", waits, columns -> {
            columns.differences("step", Wait::step);
            columns.numbers("nanos", Wait::nanos);
        });
        writeTransfers(out);
        writeCopies(out);
        writeWays(out);
        writeExchanges(out);
        out.writeEndObject();
    }

    private void writeTransfers(JsonGenerator out) throws IOException {
        Columns.write(out, "transfers", slices, columns -> {
            columns.numbers("value", slice -> account.moved(slice.transfer()).index());
            columns.letters("place", slice -> slice.transfer().place());
            columns.letters("fetch", slice -> slice.transfer().isStore() ? 0 : 1);
            columns.numbers("bytes", slice -> slice.transfer().range().bytes());
            columns.differences("begin", Slice::begin);
            columns.numbers("span", slice -> slice.end() - slice.begin());
        });
    }

    /** Those of a round; awaited at the end of one where the step is that of the next. */
    private void writeExchanges(JsonGenerator out) throws IOException {
        Columns.write(out, "exchanges", exchanges, columns -> {
            columns.differences("step", each -> each.sent().step());
            columns.numbers("awaited", Exchanged::awaited);
            columns.numbers("bytes", each -> each.sent().bytes());
            columns.differences("begin", Exchanged::begin);
            columns.numbers("span", each -> each.end() - each.begin());
            columns.numbers("waited", Exchanged::waited);
        });
    }

    private void writeCopies(JsonGenerator out) throws IOException {
        Columns.write(out, "copies", account.copies(), columns -> {
            columns.numbers("value", copy -> copy.value().index());
            columns.letters("place", Copy::place);
            columns.numbers("bytes", Copy::bytes);
            columns.differences("first", Copy::first);
            columns.numbers("span", copy -> copy.last() - copy.first());
        });
    }

    /** Waiting is that of all rounds of a step. */
    private void writeWays(JsonGenerator out) throws IOException {
        List<OffloadedTensor> ways =
                account.movement().map(StepMovement::tensors).orElse(List.of());
        Columns.write(out, "ways", ways, columns -> {
            columns.numbers("value", way -> way.value().id().index());
            columns.values("after", OffloadedTensor::storedAfter);
            columns.numbers("before", way -> way.fetchedBefore().id().index());
            columns.numbers("bytes", OffloadedTensor::bytes);
            columns.numbers("exposed", way -> way.times() * way.exposedNanos());
            JsonFields.array(out, "place", ways, way -> out.writeString(way.place()));
        });
    }
}
