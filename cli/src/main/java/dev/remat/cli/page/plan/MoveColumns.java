package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.account.Copy;
import dev.remat.compiler.account.OffloadedTensor;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RoundTimes;
import dev.remat.compiler.account.RoundTimes.Slice;
import dev.remat.compiler.account.StepMovement;
import dev.remat.compiler.account.StepTimes;
import dev.remat.ir.execution.Section;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a plan moves below its arena and back: the clock of the step, with each section once, what lanes do by it, what
 * lies below when, and the way of each tensor.
 */
final class MoveColumns {
    private static final int NONE = -1;

    /** Time in which no kernel runs, in front of a step. */
    private record Wait(int step, long nanos) {}

    private final PlanAccount account;
    private final List<Wait> waits = new ArrayList<>();
    private final List<Slice> slices = new ArrayList<>();
    private long end;

    MoveColumns(PlanAccount account) {
        this.account = account;
        StepTimes times = account.times(account.compilation().costs());
        long kernels = 0;
        for (Section section : account.sections()) {
            RoundTimes round = account.round(section, times);
            for (int step = section.from(); step < section.to(); step++) {
                long begin = end + round.begin(step);
                if (begin > kernels) {
                    waits.add(new Wait(step, begin - kernels));
                }
                kernels = begin + times.cost(step);
            }
            for (Slice slice : round.transfers()) {
                slices.add(new Slice(slice.transfer(), end + slice.begin(), end + slice.end()));
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
        out.writeObjectFieldStart("waits");
        Columns.differences(out, "step", waits, Wait::step);
        Columns.numbers(out, "nanos", waits, Wait::nanos);
        out.writeEndObject();
        writeTransfers(out);
        writeCopies(out);
        writeWays(out);
        out.writeEndObject();
    }

    private void writeTransfers(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("transfers");
        Columns.numbers(
                out, "value", slices, slice -> account.moved(slice.transfer()).index());
        Columns.letters(out, "place", slices, slice -> slice.transfer().place());
        Columns.letters(out, "fetch", slices, slice -> slice.transfer().isStore() ? 0 : 1);
        Columns.numbers(out, "bytes", slices, slice -> slice.transfer().range().bytes());
        Columns.differences(out, "begin", slices, Slice::begin);
        Columns.numbers(out, "span", slices, slice -> slice.end() - slice.begin());
        out.writeEndObject();
    }

    private void writeCopies(JsonGenerator out) throws IOException {
        List<Copy> copies = account.copies();
        out.writeObjectFieldStart("copies");
        Columns.numbers(out, "value", copies, copy -> copy.value().index());
        Columns.letters(out, "place", copies, Copy::place);
        Columns.numbers(out, "bytes", copies, Copy::bytes);
        Columns.differences(out, "first", copies, Copy::first);
        Columns.numbers(out, "span", copies, copy -> copy.last() - copy.first());
        out.writeEndObject();
    }

    /** Waiting is that of all rounds of a step. */
    private void writeWays(JsonGenerator out) throws IOException {
        List<OffloadedTensor> ways =
                account.movement().map(StepMovement::tensors).orElse(List.of());
        out.writeObjectFieldStart("ways");
        Columns.numbers(out, "value", ways, way -> way.value().id().index());
        Columns.numbers(
                out,
                "after",
                ways,
                way -> way.storedAfter().map(after -> after.id().index()).orElse(NONE));
        Columns.numbers(out, "before", ways, way -> way.fetchedBefore().id().index());
        Columns.numbers(out, "bytes", ways, OffloadedTensor::bytes);
        Columns.numbers(out, "exposed", ways, way -> way.times() * way.exposedNanos());
        JsonFields.array(out, "place", ways, way -> out.writeString(way.place()));
        out.writeEndObject();
    }
}
