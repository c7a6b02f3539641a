package dev.remat.compiler.elaborate;

import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import java.util.List;

/** Models for tests, in one line each. */
final class Models {
    private Models() {}

    static ElaboratedModel elaborate(String text, String... settings) {
        ElaboratedModel model = Elaborator.elaborate(
                ModelParser.parse(new Source("m.model", text), IncludeResolver.NONE),
                Bindings.parse(List.of(settings)));
        GraphVerifier.verify(model.forward());
        return model;
    }

    /** The graph of a body that binds {@code y}, whose mean is minimised. */
    static Graph graph(String body, String... settings) {
        return elaborate(wrap(body), settings).forward();
    }

    static String wrap(String body) {
        return "remat 1\nmodel M {\n" + body
                + "\nloss = mean(y)\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
    }

    /** {@code code line:column message} of each finding; empty if there are none. */
    static List<String> findings(String text, String... settings) {
        try {
            elaborate(text, settings);
            return List.of();
        } catch (ModelException e) {
            return e.diagnostics().stream().map(Models::describe).toList();
        }
    }

    private static String describe(Diagnostic finding) {
        return finding.code() + " " + finding.location().line() + ":"
                + finding.location().column() + " " + finding.message();
    }

    /** {@code name type}, in the order of the graph. */
    static List<String> inputs(Graph graph, InputKind kind) {
        return graph.inputs().stream()
                .filter(input -> input.kind() == kind)
                .map(GraphInput::value)
                .map(id -> graph.value(id).name() + " " + graph.type(id))
                .toList();
    }

    static List<String> parameters(Graph graph) {
        return inputs(graph, InputKind.PARAMETER);
    }

    static List<String> mnemonics(Graph graph) {
        return graph.nodes().stream().map(Node::op).map(op -> op.mnemonic()).toList();
    }

    /** Type of the value called {@code name}. */
    static String type(Graph graph, String name) {
        return graph.values().stream()
                .filter(value -> value.name().equals(name))
                .map(value -> value.type().toString())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no value " + name + " among "
                        + graph.values().stream().map(value -> value.name()).toList()));
    }
}
