package dev.remat.tests.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.remat.cli.console.Json;
import dev.remat.cli.view.ExplainJson;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Value;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.samples.SampleModels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing that is told of a plan hangs on what values are called. */
@Tag("slow")
class RenamedValuesTest {
    /** Fields with names of values. */
    private static final Set<String> NAMES =
            Set.of("value", "computes", "storage", "storedAfter", "fetchedBefore", "runs", "from", "added", "removed");
    /** A value's name, and the mark that a recomputation's ends with. */
    private static final Pattern NAME = Pattern.compile("([^']+)('.*|)");

    private static PlanAccount account(ElaboratedModel model, String strategy) {
        TargetModel target = new CpuTarget();
        return PlanAccount.of(new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults().withStrategy(strategy)));
    }

    /** Other names, which sort the other way round. */
    private static ElaboratedModel renamed(ElaboratedModel model) {
        Graph forward = model.forward();
        GraphRewriter rewriter = new GraphRewriter(forward);
        GraphBuilder builder = rewriter.target();
        rewriter.copyInputs();
        forward.nodes().forEach(rewriter::copy);
        for (Value value : forward.values()) {
            builder.rename(
                    rewriter.map(value.id()),
                    "tensor" + (forward.values().size() - value.id().index()) + "th");
        }
        rewriter.copyOutputs();
        return model.with(rewriter.build());
    }

    /**
     * What is told of every value, of every step and of the peak, with numbers for names.
     *
     * @param number of the value at a place of the graph
     */
    private static List<Object> told(PlanAccount account, IntUnaryOperator number) throws IOException {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        SequencedMap<String, List<ValueId>> asked = new LinkedHashMap<>();
        for (Value value : account.source().values()) {
            numbers.put(value.name(), number.applyAsInt(value.id().index()));
            asked.put(value.name(), List.of(value.id()));
        }
        ExplainJson json = new ExplainJson(account);
        List<Json.Fields> texts = new ArrayList<>(List.of(out -> json.values(out, asked), json::peak));
        for (int step = 0; step < account.stepCount(); step++) {
            int each = step;
            texts.add(out -> json.step(out, each));
        }
        List<Object> told = new ArrayList<>();
        for (Json.Fields fields : texts) {
            try (JsonParser in = new JsonFactory().createParser(Json.bytes(fields))) {
                in.nextToken();
                told.add(read(in, "", numbers));
            }
        }
        return told;
    }

    /** An object as a map, an array as a list, and all else as its text. */
    private static Object read(JsonParser in, String field, Map<String, Integer> numbers) throws IOException {
        if (in.currentToken() == JsonToken.START_OBJECT) {
            Map<String, Object> fields = new LinkedHashMap<>();
            while (in.nextToken() != JsonToken.END_OBJECT) {
                String name = in.currentName();
                in.nextToken();
                fields.put(name, read(in, name, numbers));
            }
            return fields;
        }
        if (in.currentToken() == JsonToken.START_ARRAY) {
            List<Object> items = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                items.add(read(in, field, numbers));
            }
            // Names break ties where tensors are listed by their size.
            return field.equals("tensors") ? Set.copyOf(items) : items;
        }
        String text = in.getValueAsString("");
        Matcher name = NAME.matcher(text);
        return NAMES.contains(field) && name.matches() ? numbers.get(name.group(1)) + name.group(2) : text;
    }

    @ParameterizedTest
    @CsvSource({"mlp, keep-all", "mlp, sqrt", "lstm, sqrt", "resnet-cifar, peak-priority", "unet, sqrt"})
    void namesAreAllThatRenamingChanges(String sample, String strategy) throws IOException {
        ElaboratedModel model = SampleModels.of(sample).tinyModel();
        PlanAccount before = account(model, strategy);
        PlanAccount after = account(renamed(model), strategy);
        assertThat(renamed(model).forward().values())
                .extracting(Value::name)
                .doesNotContainAnyElementsOf(
                        model.forward().values().stream().map(Value::name).toList());
        assertThat(told(after, index -> index).equals(told(before, index -> index)))
                .isTrue();

        // What has another name because it is another value is seen, and so is another plan.
        int last = before.source().values().size() - 1;
        assertThat(told(after, index -> last - index).equals(told(before, index -> index)))
                .isFalse();
        PlanAccount other = account(renamed(model), "chen-budget");
        assertThat(told(other, index -> index).equals(told(before, index -> index)))
                .isFalse();
    }
}
