package dev.remat.cli.passes;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.StepFacts;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.section.WholeStep;
import dev.remat.compiler.trace.IrLine;
import dev.remat.compiler.trace.IrPass;
import dev.remat.compiler.trace.PassTrace;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * The page of a model's way through the compiler. Everything is told once and then by its index: names of values, lines
 * of the program, texts of kernels; what belongs together shares a name or a place in the model. Texts of equal layers
 * differ in names alone and have one form.
 */
public final class PassesPage {
    /** Says that something has no name or place. */
    private static final int NONE = -1;

    private final PlanAccount account;
    private final Compilation plan;
    private final WholeStep whole;
    private final List<IrPass> passes;
    private final List<Source> sources;
    private final Map<String, Integer> files = new LinkedHashMap<>();
    /** Names of values, and other words. */
    private final Map<String, Integer> names = new LinkedHashMap<>();

    private final Map<String, Integer> forms = new LinkedHashMap<>();
    private final Map<IrLine, Integer> lines = new LinkedHashMap<>();

    private PassesPage(PlanAccount account, List<IrPass> passes, List<Source> sources) {
        this.account = account;
        this.plan = account.compilation();
        this.whole = plan.whole();
        this.passes = passes;
        this.sources = sources;
        for (Source source : sources) {
            files.put(source.file(), files.size());
        }
    }

    /**
     * @param trace that has heard of the compilation's passes
     * @param sources of the model, named as locations name them
     */
    public static HtmlPage of(Compilation plan, PassTrace trace, List<Source> sources) {
        PlanAccount account = PlanAccount.of(plan);
        PassesPage page = new PassesPage(account, trace.through(plan), sources);
        return new HtmlPage("Passes of " + plan.plan().model(), "passes.js", List.of(PageLibrary.D3), page::writeTo);
    }

    private void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("model", plan.plan().model());
        Json.writeSymbols(out, plan.model().extents(), plan.microBatches());
        out.writeStringField("target", plan.plan().target());
        out.writeStringField("strategy", plan.sequence().strategy());
        out.writeNumberField("arenaBytes", plan.memory().arenaBytes());
        out.writeNumberField("steps", account.stepCount());
        Json.writeSections(out, plan.plan());
        JsonFields.objects(out, "sources", sources, source -> {
            out.writeStringField("file", source.file());
            JsonFields.array(out, "lines", source.text().lines().toList(), line -> out.writeString(line));
        });
        writePasses(out);
        writeKernels(out);
        writeTensors(out);
        writeLines(out);
        writeTexts(out, "names", names);
    }

    private void writePasses(JsonGenerator out) throws IOException {
        JsonFields.objects(out, "passes", passes, pass -> {
            out.writeStringField("name", pass.name());
            out.writeArrayFieldStart("lines");
            writeRuns(
                    out,
                    pass.lines().stream().mapToInt(line -> index(lines, line)).toArray());
            out.writeEndArray();
        });
    }

    /** First and number of each run of numbers one apart. */
    private static void writeRuns(JsonGenerator out, int[] numbers) throws IOException {
        for (int from = 0; from < numbers.length; ) {
            int to = from + 1;
            while (to < numbers.length && numbers[to] == numbers[to - 1] + 1) {
                to++;
            }
            out.writeNumber(numbers[from]);
            out.writeNumber(to - from);
            from = to;
        }
    }

    /** Each as its form, the value that it is about, file and line of its place, and the parts of its form. */
    private void writeLines(JsonGenerator out) throws IOException {
        JsonFields.array(out, "lines", lines.keySet(), line -> {
            out.writeStartArray();
            out.writeNumber(index(forms, line.form()));
            out.writeNumber(line.name().isEmpty() ? NONE : name(line.name()));
            writePlace(out, line.location());
            for (String part : line.parts()) {
                out.writeNumber(name(part));
            }
            out.writeEndArray();
        });
        writeTexts(out, "forms", forms);
    }

    private static void writeTexts(JsonGenerator out, String field, Map<String, Integer> texts) throws IOException {
        JsonFields.array(out, field, texts.keySet(), text -> out.writeString(text));
    }

    private int name(String name) {
        return index(names, name);
    }

    private static <T> int index(Map<T, Integer> known, T thing) {
        known.putIfAbsent(thing, known.size());
        return known.get(thing);
    }

    private void writePlace(JsonGenerator out, Location location) throws IOException {
        out.writeNumber(files.getOrDefault(location.file(), NONE));
        out.writeNumber(location.line());
    }

    /**
     * Each as the tensor that it makes, operation, phase, whether it runs again, file and line of its place, what it
     * computes, what it reads of the step's inputs, and what is launched.
     */
    private void writeKernels(JsonGenerator out) throws IOException {
        StepCode code = plan.target() instanceof CudaTarget cuda && plan.plan().ranks() == 1
                ? CudaCode.of(plan.plan(), cuda)
                : BodyCode.of(plan.plan(), whole);
        out.writeStringField("language", code.language());
        JsonFields.array(out, "code", code.texts(), text -> out.writeString(text));
        out.writeArrayFieldStart("kernels");
        for (int k = 0; k < account.stepCount(); k++) {
            StepFacts step = account.step(k);
            FusionGroup group = whole.kernels().kernels().get(k);
            out.writeStartArray();
            out.writeNumber(name(step.name()));
            out.writeNumber(name(step.op()));
            out.writeNumber(name(step.role().label()));
            out.writeBoolean(step.again());
            writePlace(out, step.location());
            writeNames(out, computed(group));
            writeNames(out, read(group));
            out.writeStartArray();
            for (StepCode.Launched launched : code.launches().get(k)) {
                out.writeStartArray();
                out.writeNumber(launched.text());
                out.writeNumber(name(launched.how()));
                for (String part : launched.parts()) {
                    out.writeNumber(name(part));
                }
                out.writeEndArray();
            }
            out.writeEndArray();
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    private void writeNames(JsonGenerator out, SequencedSet<String> some) throws IOException {
        out.writeStartArray();
        for (String name : some) {
            out.writeNumber(name(name));
        }
        out.writeEndArray();
    }

    /** What a value of the kernels computes, by its name before planning; itself where it is only of the plan. */
    private String original(Value value) {
        return whole.from()
                .find(value.id())
                .map(account.source()::value)
                .orElse(value)
                .name();
    }

    /** Originals of all values that a kernel computes. */
    private SequencedSet<String> computed(FusionGroup group) {
        Graph graph = whole.kernels().graph();
        SequencedSet<String> computed = new LinkedHashSet<>();
        for (NodeId node : group.nodes()) {
            graph.node(node).results().forEach(id -> computed.add(original(graph.value(id))));
        }
        return computed;
    }

    /** Inputs of the step that a kernel reads. */
    private SequencedSet<String> read(FusionGroup group) {
        Graph graph = whole.kernels().graph();
        SequencedSet<String> read = new LinkedHashSet<>();
        for (ValueId id : group.reads()) {
            if (graph.value(id).producer().isEmpty()) {
                read.add(original(graph.value(id)));
            }
        }
        return read;
    }

    /** Rectangles of the arena: name, kind, first byte, bytes, first and last step. */
    private void writeTensors(JsonGenerator out) throws IOException {
        JsonFields.array(out, "kinds", List.of(Kind.values()), kind -> out.writeString(kind.label()));
        JsonFields.array(out, "tensors", account.stays(), tensor -> {
            out.writeStartArray();
            out.writeNumber(tensor.value()
                    .map(value -> account.source().value(value).name())
                    .or(tensor::name)
                    .map(this::name)
                    .orElse(NONE));
            out.writeNumber(tensor.kind().ordinal());
            out.writeNumber(tensor.offset());
            out.writeNumber(tensor.bytes());
            out.writeNumber(tensor.first());
            out.writeNumber(tensor.last());
            out.writeEndArray();
        });
    }
}
