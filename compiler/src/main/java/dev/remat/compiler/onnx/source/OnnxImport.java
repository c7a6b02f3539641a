package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.graph.GraphText;
import dev.remat.compiler.onnx.graph.InlineBranches;
import dev.remat.compiler.onnx.graph.LiftConstants;
import dev.remat.compiler.onnx.graph.PrepareGraph;
import dev.remat.compiler.onnx.graph.PreparedGraph;
import dev.remat.compiler.onnx.layer.LayerOperators;
import dev.remat.compiler.onnx.operator.WriteNodes;
import dev.remat.compiler.onnx.pattern.RecognizePatterns;
import dev.remat.compiler.onnx.read.DamagedOnnxException;
import dev.remat.compiler.onnx.read.OnnxFile;
import dev.remat.compiler.onnx.read.OnnxGraphBody;
import dev.remat.compiler.onnx.read.OnnxModel;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.ValueInfo;
import dev.remat.compiler.onnx.statement.Body;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Names;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Statement;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** Makes the text of a model of a file of ONNX. */
public final class OnnxImport {
    private static final int FIRST_OPSET = 1;
    private static final int LAST_OPSET = 27;
    private static final int MOST_ATTEMPTS = 1000;

    private final OnnxFile file;
    private final ImportRequest request;
    private final PreparedGraph prepared;
    private final PreparedGraph graph;
    private final int nodes;
    private final boolean constantsAreWeights;
    private final SequencedMap<String, Integer> recognised;
    private final Symbols symbols = new Symbols();
    private final OpenExtents extents;
    private final boolean decides;
    private List<OnnxGraphBody> taken = List.of();
    private List<Statement> written = List.of();
    private List<Statement> rolled = List.of();

    /** @param taken branches that are decided */
    private OnnxImport(OnnxFile file, ImportRequest request, List<OnnxGraphBody> taken) {
        this.file = file;
        this.request = request;
        PreparedGraph given = PrepareGraph.run(file.model(), request.inputs(), request.outputs());
        this.prepared = InlineBranches.run(given, taken);
        this.nodes = prepared.nodes().size();
        this.decides = prepared.nodes().stream().anyMatch(InlineBranches::decides);
        this.constantsAreWeights = prepared.initializers().values().stream().noneMatch(LiftConstants::isWeight);
        Body reading = new Body(file::bytes);
        RecognizePatterns patterns = new RecognizePatterns(
                tensor -> Body.dtype(tensor).flatMap(_ -> reading.numbers(tensor)),
                reading::hides,
                file.model().producer().startsWith("remat "));
        this.graph = request.isPlain() ? prepared : patterns.run(LiftConstants.run(prepared));
        this.recognised = patterns.found();
        this.extents = new OpenExtents(graph.inputs(), request.set());
    }

    /**
     * @throws DamagedOnnxException if the graph is none
     * @throws ModelException if something in it cannot be imported (E0707 to E0709), all at once
     */
    public static ImportedGraph run(OnnxFile file, ImportRequest request) {
        return run(file, request, new StageRunner(Optional.empty()));
    }

    /** @param stages which receives what each pass made */
    public static ImportedGraph run(OnnxFile file, ImportRequest request, StageRunner stages) {
        long opset = file.model().opset();
        if (opset < FIRST_OPSET || opset > LAST_OPSET) {
            throw refused(List.of(Diagnostic.error(
                    RefusedException.Kind.DETAIL.code(),
                    place(request),
                    "its operators are of version " + opset + ", and those from " + FIRST_OPSET + " to " + LAST_OPSET
                            + " are read",
                    "onnx.version_converter makes other versions of them")));
        }
        OnnxImport importing = new OnnxImport(file, request, List.of());
        if (importing.decides && !request.isPlain()) {
            // What is in a branch is recognised when it is known that it is taken.
            OnnxImport plain = new OnnxImport(file, request.plain(), List.of());
            plain.settled();
            importing = new OnnxImport(file, request, plain.taken);
        }
        importing.dumpGraphs(stages);
        ImportedGraph imported = importing.settled();
        importing.dumpTexts(stages, imported);
        return imported;
    }

    private void dumpGraphs(StageRunner stages) {
        stages.dump("graph", () -> GraphText.of(prepared));
        if (!request.isPlain()) {
            stages.dump("recognised", () -> GraphText.of(graph));
        }
    }

    private void dumpTexts(StageRunner stages, ImportedGraph imported) {
        stages.dump("statements", () -> text(written));
        if (!request.isPlain()) {
            stages.dump("rolled", () -> text(rolled));
        }
        stages.dump("model", imported::text);
    }

    private static String text(List<Statement> statements) {
        return statements.stream().map(statement -> statement.text() + "\n").collect(Collectors.joining());
    }

    private ImportedGraph settled() {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            Optional<ImportedGraph> imported = tried();
            if (imported.isPresent()) {
                return imported.get();
            }
        }
        throw new DamagedOnnxException("its extents do not settle");
    }

    private static Location place(ImportRequest request) {
        return new Location(request.origin(), 1, 1);
    }

    private static ModelException refused(List<Diagnostic> diagnostics) {
        return new ModelException(diagnostics);
    }

    /** Empty if extents have become one, which changes everything before. */
    private Optional<ImportedGraph> tried() {
        try {
            return Optional.of(attempt());
        } catch (Symbols.Joined e) {
            return Optional.empty();
        }
    }

    private ImportedGraph attempt() {
        Body body = new Body(file::bytes, !request.isPlain());
        OnnxModel model = file.model();
        Expressions out = new Expressions(body, symbols);
        WriteNodes writing = new WriteNodes(model.opset(), out, _ -> "", constantsAreWeights, LayerOperators::find);
        Names names = body.names();
        extents.take(names);
        SequencedMap<String, TensorType> inputs = new LinkedHashMap<>();
        SequencedMap<String, String> inputNames = new LinkedHashMap<>();
        List<Diagnostic> problems = new ArrayList<>();
        for (ValueInfo input : graph.inputs()) {
            try {
                input(input, writing, names, inputs, inputNames);
            } catch (RefusedException e) {
                problems.add(Diagnostic.error(
                        e.kind().code(), place(request), "input '" + input.name() + "': " + e.getMessage(), notes(e)));
            }
        }
        List<String> outputs = graph.outputs().stream().map(names::fresh).toList();
        graph.initializers().values().forEach(writing::put);
        writing.write(graph.nodes());
        taken = writing.taken();
        problems.addAll(problems(writing));
        if (!problems.isEmpty()) {
            throw refused(problems);
        }
        SequencedMap<String, String> outputNames = new LinkedHashMap<>();
        for (int i = 0; i < outputs.size(); i++) {
            String name = graph.outputs().get(i);
            body.enter("", outputs.get(i));
            body.bindTo(
                    outputs.get(i),
                    writing.value(name)
                            .orElseThrow(() -> new DamagedOnnxException("nothing makes the output '" + name + "'")));
            outputNames.put(outputs.get(i), name);
        }
        NameOutputs.run(body, outputs);
        Optional<AddLoss.Added> loss = request.loss()
                .map(kind -> AddLoss.run(
                        kind,
                        body,
                        outputs.getFirst(),
                        writing.value(graph.outputs().getFirst()).orElseThrow().type(),
                        place(request)));
        List<String> kept = new ArrayList<>(outputs);
        loss.ifPresent(added -> kept.add(added.logits()));
        body.keep(kept);
        written = List.copyOf(body.statements());
        SequencedMap<String, Integer> depths = new LinkedHashMap<>();
        if (!request.isPlain()) {
            depths = roll(body, kept);
        }
        rolled = List.copyOf(body.statements());
        PrintModel print = new PrintModel(request, model, nodes);
        return new ImportedGraph(
                print.run(body, inputs, outputs, loss, depths),
                body.weights(),
                nodes,
                inputs,
                extents.notes(symbols),
                inputNames,
                outputNames,
                PrintModel.trained(body),
                recognised);
    }

    /** Writes what repeats as loops; how often they run comes back. */
    private static SequencedMap<String, Integer> roll(Body body, List<String> kept) {
        RollRounds roll = new RollRounds(body.names(), List.copyOf(body.statements()), kept);
        List<Statement> statements = roll.run();
        SequencedMap<String, Integer> depths = new LinkedHashMap<>(roll.depths());
        boolean goesOn = true;
        while (goesOn) {
            SequencedMap<String, String> renamed = NameRounds.run(statements, body.unnamed(), body.names());
            RollRounds again = new RollRounds(
                    body.names(),
                    statements.stream()
                            .map(statement -> statement.renamingOwners(renamed))
                            .toList(),
                    kept);
            List<Statement> shorter = renamed.isEmpty() ? statements : again.run();
            goesOn = shorter.size() < statements.size();
            if (goesOn) {
                statements = shorter;
                depths.putAll(again.depths());
                body.renameOwners(renamed);
            }
        }
        List<Statement> inlined = InlineOnce.run(statements, kept);
        body.statements().clear();
        body.statements().addAll(inlined);
        return depths;
    }

    private String[] notes(RefusedException e) {
        List<String> notes = new ArrayList<>();
        if (!e.wayOut().isEmpty()) {
            notes.add(e.wayOut());
        }
        if (e.kind() == RefusedException.Kind.CONSTANT) {
            extents.open(symbols).ifPresent(notes::add);
        }
        return notes.toArray(String[]::new);
    }

    private void input(
            ValueInfo input,
            WriteNodes nodes,
            Names names,
            SequencedMap<String, TensorType> inputs,
            SequencedMap<String, String> inputNames) {
        if (!input.kind().equals(ValueInfo.TENSOR)) {
            throw new RefusedException(
                    "it is a " + (input.kind().isEmpty() ? "value of no known type" : input.kind()) + ", not a tensor");
        }
        DType dtype = input.type()
                .flatMap(type -> type.dtype())
                .orElseThrow(() -> new RefusedException("its elements are of "
                        + input.type().map(Object::toString).orElse("no known type")
                        + ", and a model computes with f32, f64, f16, bf16, i32, i64 and bool"));
        List<Dim> dims = extents.of(input).stream().map(symbols::resolve).toList();
        List<Double> fixed = request.set().get(input.name());
        if (fixed != null) {
            nodes.put(input.name(), fixed(dtype, dims, fixed));
            return;
        }
        if (dims.stream().anyMatch(dim -> dim.is(0))) {
            throw new RefusedException("it is empty");
        }
        TensorType type = new TensorType(dtype, new Shape(dims));
        String name = names.fresh(input.name());
        inputs.put(name, type);
        inputNames.put(name, input.name());
        nodes.put(input.name(), Tensor.of(type, Spelling.name(name)));
    }

    private static Tensor fixed(DType dtype, List<Dim> dims, List<Double> numbers) {
        List<Long> shape = dims.stream()
                .map(dim -> dim.isConstant() ? dim.value() : (long) numbers.size())
                .toList();
        if (shape.stream().reduce(1L, (a, b) -> a * b) != numbers.size()) {
            throw new RefusedException("--set gives it " + numbers.size() + " numbers, and its shape is " + shape);
        }
        return Tensor.of(Constant.reals(DType.F64, shape, numbers).cast(dtype));
    }

    private List<Diagnostic> problems(WriteNodes nodes) {
        SequencedMap<String, Diagnostic> problems = new LinkedHashMap<>();
        SequencedMap<String, Integer> counts = new LinkedHashMap<>();
        for (WriteNodes.Refusal refusal : nodes.refusals()) {
            OnnxNode node = refusal.node();
            String key = node.operator() + ": " + refusal.reason().getMessage();
            counts.merge(key, 1, Integer::sum);
            problems.putIfAbsent(
                    key,
                    Diagnostic.error(
                            refusal.reason().kind().code(),
                            place(request),
                            node.title() + " (" + node.operator() + "-"
                                    + file.model().opset() + "): "
                                    + refusal.reason().getMessage(),
                            notes(refusal.reason())));
        }
        return problems.entrySet().stream()
                .map(each -> counts.get(each.getKey()) == 1
                        ? each.getValue()
                        : new Diagnostic(
                                each.getValue().code(),
                                each.getValue().severity(),
                                each.getValue().location(),
                                1,
                                each.getValue().message() + "; and " + (counts.get(each.getKey()) - 1) + " more such",
                                each.getValue().notes()))
                .toList();
    }
}
