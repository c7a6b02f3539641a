package dev.remat.cli.passes;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.trace.GraphLines;
import dev.remat.compiler.trace.IrLine;
import dev.remat.compiler.trace.IrPass;
import dev.remat.compiler.trace.PassTrace;
import dev.remat.compiler.view.Kind;
import dev.remat.compiler.view.PlanView;
import dev.remat.compiler.view.StepFacts;
import dev.remat.compiler.view.StepFacts.Tensor;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * The page of a model's way through the compiler. Everything is told once and then by its index: names of values, lines
 * of the program, texts of kernels; what belongs together shares a name or a place in the model.
 */
public final class PassesPage {
    /** Says that something has no name or place. */
    private static final int NONE = -1;

    private final PlanView view;
    private final Compilation plan;
    private final List<IrPass> passes;
    private final List<Source> sources;
    private final Map<String, Integer> files = new LinkedHashMap<>();
    private final Map<String, Integer> names = new LinkedHashMap<>();
    private final Map<IrLine, Integer> lines = new LinkedHashMap<>();

    private PassesPage(PlanView view, List<IrPass> passes, List<Source> sources) {
        this.view = view;
        this.plan = view.compilation();
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
        PlanView view = PlanView.of(plan);
        PassesPage page = new PassesPage(view, trace.through(view), sources);
        return new HtmlPage("Passes of " + plan.plan().model(), "passes.js", List.of(PageLibrary.D3), page::writeTo);
    }

    private void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("model", plan.plan().model());
        Json.writeSymbols(out, plan.model().extents());
        out.writeStringField("target", plan.plan().target());
        out.writeStringField("strategy", plan.sequence().strategy());
        out.writeNumberField("arenaBytes", plan.memory().arenaBytes());
        out.writeNumberField("steps", view.stepCount());
        out.writeArrayFieldStart("sources");
        for (Source source : sources) {
            out.writeStartObject();
            out.writeStringField("file", source.file());
            out.writeArrayFieldStart("lines");
            for (String line : source.text().lines().toList()) {
                out.writeString(line);
            }
            out.writeEndArray();
            out.writeEndObject();
        }
        out.writeEndArray();
        writePasses(out);
        writeKernels(out);
        writeTensors(out);
        writeLines(out);
        out.writeArrayFieldStart("names");
        for (String name : names.keySet()) {
            out.writeString(name);
        }
        out.writeEndArray();
    }

    private void writePasses(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("passes");
        for (IrPass pass : passes) {
            out.writeStartObject();
            out.writeStringField("name", pass.name());
            out.writeArrayFieldStart("lines");
            for (IrLine line : pass.lines()) {
                Integer known = lines.putIfAbsent(line, lines.size());
                out.writeNumber(known == null ? lines.size() - 1 : known);
            }
            out.writeEndArray();
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Each with its text, its name, and file and line of its place. */
    private void writeLines(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("lines");
        for (IrLine line : lines.keySet()) {
            out.writeStartArray();
            out.writeString(line.text());
            out.writeNumber(line.name().isEmpty() ? NONE : name(line.name()));
            writePlace(out, line.location());
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    private int name(String name) {
        names.putIfAbsent(name, names.size());
        return names.get(name);
    }

    private void writePlace(JsonGenerator out, Location location) throws IOException {
        out.writeNumber(files.getOrDefault(location.file(), NONE));
        out.writeNumber(location.line());
    }

    private void writeKernels(JsonGenerator out) throws IOException {
        StepCode code = plan.target() instanceof CudaTarget cuda ? CudaCode.of(plan.plan(), cuda) : BodyCode.of(plan);
        out.writeStringField("language", code.language());
        out.writeArrayFieldStart("code");
        for (String text : code.texts()) {
            out.writeString(text);
        }
        out.writeEndArray();
        out.writeArrayFieldStart("kernels");
        for (int k = 0; k < view.stepCount(); k++) {
            StepFacts step = view.step(k);
            out.writeStartObject();
            out.writeStringField("name", step.name());
            out.writeStringField("op", step.op());
            out.writeStringField("phase", step.role().label());
            out.writeBooleanField("again", step.again());
            out.writeArrayFieldStart("at");
            writePlace(out, step.location());
            out.writeEndArray();
            out.writeArrayFieldStart("names");
            for (String name : computed(plan.kernels().kernels().get(k))) {
                out.writeNumber(name(name));
            }
            out.writeEndArray();
            out.writeArrayFieldStart("reads");
            for (String name : read(plan.kernels().kernels().get(k))) {
                out.writeNumber(name(name));
            }
            out.writeEndArray();
            out.writeArrayFieldStart("launches");
            for (StepCode.Launched launched : code.launches().get(k)) {
                out.writeStartArray();
                out.writeNumber(launched.text());
                out.writeString(launched.how());
                out.writeEndArray();
            }
            out.writeEndArray();
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Originals of all values that a kernel computes. */
    private SequencedSet<String> computed(FusionGroup group) {
        Graph graph = plan.kernels().graph();
        GraphLines originals = new GraphLines(graph);
        SequencedSet<String> computed = new LinkedHashSet<>();
        for (NodeId node : group.nodes()) {
            graph.node(node)
                    .results()
                    .forEach(id ->
                            computed.add(originals.original(graph.value(id)).name()));
        }
        return computed;
    }

    /** Inputs of the step that a kernel reads. */
    private SequencedSet<String> read(FusionGroup group) {
        Graph graph = plan.kernels().graph();
        SequencedSet<String> read = new LinkedHashSet<>();
        for (ValueId id : group.reads()) {
            if (graph.value(id).producer().isEmpty()) {
                read.add(graph.value(id).name());
            }
        }
        return read;
    }

    /** Rectangles of the arena: name, kind, first byte, bytes, first and last step. */
    private void writeTensors(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("kinds");
        for (Kind kind : Kind.values()) {
            out.writeString(kind.label());
        }
        out.writeEndArray();
        Graph graph = plan.kernels().graph();
        GraphLines originals = new GraphLines(graph);
        Map<String, String> originalNames = new LinkedHashMap<>();
        graph.values()
                .forEach(value -> originalNames.put(
                        value.name(), originals.original(value).name()));
        out.writeArrayFieldStart("tensors");
        for (Tensor tensor : view.tensors()) {
            out.writeStartArray();
            out.writeNumber(
                    tensor.name().isPresent()
                            ? name(originalNames.getOrDefault(
                                    tensor.name().get(), tensor.name().get()))
                            : NONE);
            out.writeNumber(tensor.kind().ordinal());
            out.writeNumber(tensor.offset());
            out.writeNumber(tensor.bytes());
            out.writeNumber(tensor.first());
            out.writeNumber(tensor.last());
            out.writeEndArray();
        }
        out.writeEndArray();
    }
}
