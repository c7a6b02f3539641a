package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.plan.Columns.Words;
import dev.remat.cli.report.PlanJson;
import dev.remat.compiler.report.PlanReport;
import dev.remat.compiler.report.RecomputedTensor;
import dev.remat.compiler.view.Kind;
import dev.remat.compiler.view.PlanView;
import dev.remat.compiler.view.PlanView.Relief;
import dev.remat.compiler.view.State;
import dev.remat.compiler.view.StepFacts;
import dev.remat.compiler.view.StepFacts.Tensor;
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

    private final PlanReport report;
    private final PlanView view;
    private final ValueColumns values;
    private final List<StepFacts> steps;

    PlanColumns(PlanReport report, PlanView view, ValueColumns values) {
        this.report = report;
        this.view = view;
        this.values = values;
        this.steps = IntStream.range(0, view.stepCount()).mapToObj(view::step).toList();
    }

    /** @param chosen whether it is the plan that was asked for */
    void write(JsonGenerator out, boolean chosen) throws IOException {
        out.writeStartObject();
        out.writeBooleanField("chosen", chosen);
        out.writeObjectFieldStart("sums");
        PlanJson json = new PlanJson(report, 0);
        json.writeSums(out);
        json.writeHash(out);
        out.writeEndObject();
        out.writeNumberField("peakStep", view.peakStep());
        out.writeNumberField("plannedPeakBytes", view.compilation().evaluation().peakBytes());
        writeSteps(out);
        writeStays(out);
        Columns.letters(
                out, "states", view.values(), id -> view.unpriced(id).state().ordinal());
        writeRetained(out);
        writeRecomputed(out);
        writeReliefs(out);
        if (!report.compilation().plan().transfers().isEmpty()) {
            new MoveColumns(view, values).write(out);
        }
        out.writeEndObject();
    }

    /** Costs are what kernels are charged beyond what the value they make is. */
    private void writeSteps(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("steps");
        Columns.differences(out, "value", steps, step -> values.index(step.name()));
        Columns.letters(out, "again", steps, step -> step.again() ? 1 : 0);
        Columns.numbers(out, "more", steps, step -> step.cost() - values.cost(values.index(step.name())));
        out.writeEndObject();
    }

    /** Blocks are those beyond what the value takes by itself; of workspace, all. */
    private void writeStays(JsonGenerator out) throws IOException {
        List<Tensor> stays = view.tensors();
        long block = values.alignment();
        out.writeObjectFieldStart("stays");
        Columns.differences(out, "value", stays, this::value);
        Columns.letters(
                out,
                "again",
                stays,
                stay -> stay.name().filter(ValueColumns::isAgain).isPresent() ? 1 : 0);
        Columns.letters(out, "kind", stays, stay -> stay.kind().ordinal());
        Columns.numbers(out, "offset", stays, stay -> stay.offset() / block);
        Columns.numbers(out, "more", stays, stay -> stay.bytes() / block - ownBlocks(stay));
        Columns.differences(out, "first", stays, Tensor::first);
        Columns.numbers(out, "span", stays, stay -> stay.last() - stay.first());
        out.writeEndObject();
    }

    private int value(Tensor stay) {
        return stay.name().map(values::index).orElse(NONE);
    }

    private long ownBlocks(Tensor stay) {
        return stay.name().isPresent() ? values.blocks(value(stay)) : 0;
    }

    private void writeRetained(JsonGenerator out) throws IOException {
        Words reasons = new Words();
        out.writeObjectFieldStart("retained");
        Columns.differences(out, "value", report.retained(), tensor -> values.index(tensor.name()));
        Columns.numbers(out, "reason", report.retained(), tensor -> reasons.index(tensor.reason()));
        reasons.write(out, "reasons");
        out.writeEndObject();
    }

    private void writeRecomputed(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("recomputed");
        Columns.differences(out, "value", report.recomputed(), tensor -> values.index(tensor.name()));
        Columns.numbers(out, "times", report.recomputed(), RecomputedTensor::times);
        Columns.numbers(out, "cost", report.recomputed(), RecomputedTensor::cost);
        out.writeEndObject();
    }

    private void writeReliefs(JsonGenerator out) throws IOException {
        List<Relief> reliefs = view.reliefs(MOST_RELIEFS);
        out.writeObjectFieldStart("reliefs");
        Columns.numbers(out, "value", reliefs, relief -> values.index(relief.value()));
        Columns.numbers(out, "peakBytes", reliefs, relief -> relief.price().peakBytes());
        Columns.numbers(out, "cost", reliefs, relief -> relief.price().cost());
        out.writeEndObject();
    }

    /** Names of what columns number. */
    static void writeNames(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("kinds");
        for (Kind kind : Kind.values()) {
            out.writeString(kind.label());
        }
        out.writeEndArray();
        out.writeArrayFieldStart("states");
        for (State state : State.values()) {
            out.writeString(state.label());
        }
        out.writeEndArray();
    }
}
