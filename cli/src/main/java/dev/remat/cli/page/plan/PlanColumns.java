package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.plan.Columns.Words;
import dev.remat.cli.ranks.RankReport;
import dev.remat.cli.report.PlanJson;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.PlanAccount.Relief;
import dev.remat.compiler.account.RecomputedTensor;
import dev.remat.compiler.account.State;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.StepFacts;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ExecutionPlan;
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
    private final boolean chosen;
    private final String hash;
    private final List<Relief> reliefs;
    private final List<StepFacts> steps;
    private final List<State> states;

    /** @param chosen whether it is the plan that was asked for */
    PlanColumns(PlanAccount account, ValueColumns values, boolean chosen) {
        this.account = account;
        this.values = values;
        this.chosen = chosen;
        this.hash = new PlanJson(account, 0).hash();
        this.reliefs = account.reliefs(MOST_RELIEFS);
        this.steps =
                IntStream.range(0, account.stepCount()).mapToObj(account::step).toList();
        this.states = account.values().stream()
                .map(id -> account.unpriced(id).state())
                .toList();
    }

    void write(JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeBooleanField("chosen", chosen);
        out.writeObjectFieldStart("sums");
        new PlanJson(account, 0).writeSums(out);
        out.writeStringField("planHash", hash);
        new RankReport(account).writeTo(out);
        out.writeEndObject();
        out.writeNumberField("peakStep", account.peakStep());
        out.writeNumberField(
                "plannedPeakBytes", account.compilation().evaluation().peakBytes());
        writeSteps(out);
        writeStays(out);
        new Columns<>(out, states).letters("states", State::ordinal);
        writeRetained(out);
        writeRecomputed(out);
        writeReliefs(out);
        ExecutionPlan plan = account.compilation().plan();
        if (!plan.transfers().isEmpty() || plan.ranks() > 1) {
            new MoveColumns(account).write(out);
        }
        out.writeEndObject();
    }

    /** Costs are what kernels are charged beyond what the value they make is. */
    private void writeSteps(JsonGenerator out) throws IOException {
        Columns.write(out, "steps", steps, columns -> {
            columns.differences("value", step -> step.value().id().index());
            columns.letters("again", step -> step.again() ? 1 : 0);
            columns.numbers(
                    "more", step -> step.cost() - values.cost(step.value().id().index()));
        });
    }

    /** Blocks are those beyond what the value takes by itself; of workspace, all. */
    private void writeStays(JsonGenerator out) throws IOException {
        long block = values.alignment();
        Columns.write(out, "stays", account.stays(), columns -> {
            columns.differences("value", PlanColumns::value);
            columns.letters("again", stay -> stay.again() ? 1 : 0);
            columns.letters("kind", stay -> stay.kind().ordinal());
            columns.numbers("offset", stay -> stay.offset() / block);
            columns.numbers("more", stay -> stay.bytes() / block - ownBlocks(stay));
            columns.differences("first", Stay::first);
            columns.numbers("span", stay -> stay.last() - stay.first());
        });
    }

    private static int value(Stay stay) {
        return stay.value().map(ValueId::index).orElse(NONE);
    }

    private long ownBlocks(Stay stay) {
        return stay.name().isPresent() ? values.blocks(value(stay)) : 0;
    }

    private void writeRetained(JsonGenerator out) throws IOException {
        Words reasons = new Words();
        Columns.write(out, "retained", account.retained(), columns -> {
            columns.differences("value", tensor -> tensor.value().id().index());
            columns.numbers("reason", tensor -> reasons.index(tensor.reason()));
            reasons.write(out, "reasons");
        });
    }

    private void writeRecomputed(JsonGenerator out) throws IOException {
        Columns.write(out, "recomputed", account.recomputed(), columns -> {
            columns.differences("value", tensor -> tensor.value().id().index());
            columns.numbers("times", RecomputedTensor::times);
            columns.numbers("cost", RecomputedTensor::cost);
        });
    }

    private void writeReliefs(JsonGenerator out) throws IOException {
        Columns.write(out, "reliefs", reliefs, columns -> {
            columns.numbers("value", relief -> relief.value().id().index());
            columns.numbers("peakBytes", relief -> relief.price().peakBytes());
            columns.numbers("cost", relief -> relief.price().cost());
        });
    }

    /** Names of what columns number. */
    static void writeNames(JsonGenerator out) throws IOException {
        JsonFields.array(out, "kinds", List.of(Kind.values()), kind -> out.writeString(kind.label()));
        JsonFields.array(out, "states", List.of(State.values()), state -> out.writeString(state.label()));
    }
}
