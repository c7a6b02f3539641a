package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.plan.Columns.Words;
import dev.remat.cli.report.PlanJson;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.PlanAccount.Relief;
import dev.remat.compiler.account.RecomputedTensor;
import dev.remat.compiler.account.State;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.StepFacts;
import dev.remat.ir.ValueId;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One plan of a training step: its sums, steps, what is in the arena when, what becomes of each value, and what would
 * lower its peak.
 */
final class PlanColumns {
    private static final int MOST_RELIEFS = 20;
    private static final int NONE = -1;

    private final PlanAccount account;
    private final ValueColumns values;
    private final List<StepFacts> steps;

    PlanColumns(PlanAccount account, ValueColumns values) {
        this.account = account;
        this.values = values;
        this.steps =
                IntStream.range(0, account.stepCount()).mapToObj(account::step).toList();
    }

    /** @param chosen whether it is the plan that was asked for */
    void write(JsonGenerator out, boolean chosen) throws IOException {
        out.writeStartObject();
        out.writeBooleanField("chosen", chosen);
        out.writeObjectFieldStart("sums");
        PlanJson json = new PlanJson(account, 0);
        json.writeSums(out);
        json.writeHash(out);
        out.writeEndObject();
        out.writeNumberField("peakStep", account.peakStep());
        out.writeNumberField(
                "plannedPeakBytes", account.compilation().evaluation().peakBytes());
        writeSteps(out);
        writeStays(out);
        Columns.letters(
                out,
                "states",
                account.values(),
                id -> account.unpriced(id).state().ordinal());
        writeRetained(out);
        writeRecomputed(out);
        writeReliefs(out);
        if (!account.compilation().plan().transfers().isEmpty()) {
            new MoveColumns(account).write(out);
        }
        out.writeEndObject();
    }

    /** Costs are what kernels are charged beyond what the value they make is. */
    private void writeSteps(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("steps");
        Columns.differences(out, "value", steps, step -> step.value().id().index());
        Columns.letters(out, "again", steps, step -> step.again() ? 1 : 0);
        Columns.numbers(
                out,
                "more",
                steps,
                step -> step.cost() - values.cost(step.value().id().index()));
        out.writeEndObject();
    }

    /** Blocks are those beyond what the value takes by itself; of workspace, all. */
    private void writeStays(JsonGenerator out) throws IOException {
        List<Stay> stays = account.stays();
        long block = values.alignment();
        out.writeObjectFieldStart("stays");
        Columns.differences(out, "value", stays, this::value);
        Columns.letters(out, "again", stays, stay -> stay.again() ? 1 : 0);
        Columns.letters(out, "kind", stays, stay -> stay.kind().ordinal());
        Columns.numbers(out, "offset", stays, stay -> stay.offset() / block);
        Columns.numbers(out, "more", stays, stay -> stay.bytes() / block - ownBlocks(stay));
        Columns.differences(out, "first", stays, Stay::first);
        Columns.numbers(out, "span", stays, stay -> stay.last() - stay.first());
        out.writeEndObject();
    }

    private int value(Stay stay) {
        return stay.value().map(ValueId::index).orElse(NONE);
    }

    private long ownBlocks(Stay stay) {
        return stay.name().isPresent() ? values.blocks(value(stay)) : 0;
    }

    private void writeRetained(JsonGenerator out) throws IOException {
        Words reasons = new Words();
        out.writeObjectFieldStart("retained");
        Columns.differences(
                out, "value", account.retained(), tensor -> tensor.value().id().index());
        Columns.numbers(out, "reason", account.retained(), tensor -> reasons.index(tensor.reason()));
        reasons.write(out, "reasons");
        out.writeEndObject();
    }

    private void writeRecomputed(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("recomputed");
        Columns.differences(
                out,
                "value",
                account.recomputed(),
                tensor -> tensor.value().id().index());
        Columns.numbers(out, "times", account.recomputed(), RecomputedTensor::times);
        Columns.numbers(out, "cost", account.recomputed(), RecomputedTensor::cost);
        out.writeEndObject();
    }

    private void writeReliefs(JsonGenerator out) throws IOException {
        List<Relief> reliefs = account.reliefs(MOST_RELIEFS);
        out.writeObjectFieldStart("reliefs");
        Columns.numbers(out, "value", reliefs, relief -> relief.value().id().index());
        Columns.numbers(out, "peakBytes", reliefs, relief -> relief.price().peakBytes());
        Columns.numbers(out, "cost", reliefs, relief -> relief.price().cost());
        out.writeEndObject();
    }

    /** Names of what columns number. */
    static void writeNames(JsonGenerator out) throws IOException {
        JsonFields.array(out, "kinds", List.of(Kind.values()), kind -> out.writeString(kind.label()));
        JsonFields.array(out, "states", List.of(State.values()), state -> out.writeString(state.label()));
    }
}
