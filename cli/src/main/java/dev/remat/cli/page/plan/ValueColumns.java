package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.plan.Columns.Words;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.account.ValueFacts.Consumer;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** The values of a training step, the same for all its plans; other columns name them by their place in these. */
final class ValueColumns {
    private static final int NONE = -1;

    private final Graph graph;
    private final ToIntFunction<NodeId> rounds;
    private final long alignment;
    private final List<ValueFacts> facts;

    ValueColumns(PlanAccount account) {
        this.graph = account.source();
        this.rounds = account::rounds;
        this.alignment = account.compilation().target().alignment();
        this.facts = account.values().stream().map(account::unpriced).toList();
    }

    /** Blocks of memory that a value takes by itself. */
    long blocks(int value) {
        return (facts.get(value).value().type().bytes() + alignment - 1) / alignment;
    }

    /** What the planner was charged for making a value. */
    long cost(int value) {
        return facts.get(value).cost().orElse(NONE);
    }

    long alignment() {
        return alignment;
    }

    void write(JsonGenerator out) throws IOException {
        Words types = new Words();
        Words places = new Words();
        Words scopes = new Words();
        Words ops = new Words();
        out.writeNumberField("alignment", alignment);
        Columns.write(out, "values", facts, columns -> {
            columns.texts("name", value -> value.value().name());
            columns.numbers("type", value -> types.index(value.value().type().toString()));
            columns.numbers("size", value -> value.value().type().bytes());
            columns.numbers("elements", ValueColumns::elements);
            columns.numbers("at", value -> places.index(value.location().toString()));
            columns.numbers("scope", value -> scopes.index(value.scope()));
            columns.numbers("phase", value -> value.role().ordinal());
            columns.numbers("op", value -> ops.index(value.producer()));
            columns.numbers("cost", value -> value.cost().orElse(NONE));
            columns.numbers("result", this::result);
            columns.numbers("flops", this::flops);
            columns.values("storage", ValueFacts::storage);
            columns.lists(
                    "consumers",
                    value -> value.consumers().stream().map(Consumer::value).toList());
        });
        out.writeObjectFieldStart("words");
        types.write(out, "types");
        places.write(out, "places");
        scopes.write(out, "scopes");
        ops.write(out, "ops");
        out.writeEndObject();
    }

    /** What the values of the batch, parameters and states are for, by place among the values. */
    void writeInputs(JsonGenerator out) throws IOException {
        Words kinds = new Words();
        Columns.write(out, "inputs", graph.inputs(), columns -> {
            columns.numbers("value", input -> input.value().index());
            columns.numbers("kind", input -> kinds.index(input.kind().name().toLowerCase(Locale.ROOT)));
            kinds.write(out, "kinds");
        });
    }

    /** Of an input. */
    private static long elements(ValueFacts value) {
        return value.producer().equals("input") ? value.value().type().elements() : 0;
    }

    /** Which result of its node a value is. */
    private int result(ValueFacts value) {
        return value.value().definition() instanceof Value.Result result ? result.index() : 0;
    }

    /** Operations of its node in a step, told of the first result. */
    private long flops(ValueFacts value) {
        if (!(value.value().definition() instanceof Value.Result(NodeId producer, int index)) || index > 0) {
            return 0;
        }
        Node node = graph.node(producer);
        return rounds.applyAsInt(producer) * node.op().flops(graph.types(node.operands()), graph.types(node.results()));
    }
}
