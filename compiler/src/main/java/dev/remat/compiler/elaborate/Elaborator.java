package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.stage.NameListener;
import dev.remat.compiler.syntax.CanonicalForm;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.graph.Graph;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Turns a syntax tree into a forward graph: resolves names, inlines layers, unrolls loops, infers shapes over symbols.
 *
 * <pre>
 * before: repeat 2 { x = relu(linear(x, 8)) }
 * after:  %3 = matmul{…}(%x, %linear.0.weight)   %4 = add(%3, …)   %5 = relu(%4)
 *         %8 = matmul{…}(%5, %linear.1.weight)   %9 = add(%8, …)   %10 = relu(%9)
 * </pre>
 */
public final class Elaborator {
    /** Settings that are facts of their own in checkpoints, because the command line may override them. */
    private static final List<String> OVERRIDDEN = List.of("precision", "micro_batches", "seed");

    private final Session session;
    private final Set<String> included = new LinkedHashSet<>();

    private Elaborator(Session session) {
        this.session = session;
    }

    /** The graph for training. */
    public static ElaboratedModel elaborate(Model model, Bindings bindings) {
        return elaborate(model, bindings, Purpose.TRAIN);
    }

    /**
     * The forward graph of {@code model} and how it is trained. Symbols that {@code bindings} leave open stay symbols.
     *
     * @throws dev.remat.ir.diagnostic.ModelException with up to 20 diagnostics (E02xx, E03xx, E04xx)
     */
    public static ElaboratedModel elaborate(Model model, Bindings bindings, Purpose purpose) {
        return elaborate(model, bindings, purpose, NameListener.NONE);
    }

    /** The same with somebody who hears what names stand for, of a model with mistakes too. */
    public static ElaboratedModel elaborate(Model model, Bindings bindings, Purpose purpose, NameListener listener) {
        Diagnostics diagnostics = new Diagnostics();
        Optional<Declaration.ModelDefinition> definition = model.definition();
        if (definition.isEmpty()) {
            diagnostics.add(Diagnostic.error(
                    "E0404",
                    model.location(),
                    "the file defines no model",
                    "a file of layers alone is there to be included"));
            diagnostics.throwIfErrors();
        }
        String name = definition.orElseThrow().name().text();
        Session session = new Session(new GraphEmission(name, purpose), diagnostics, listener);
        return new Elaborator(session).run(model, definition.orElseThrow(), bindings, purpose);
    }

    /**
     * Texts of the hyper-parameters' values by name, for which nothing else is elaborated; what has no value is left
     * out.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if a setting does not suit the model (E0205, E0302)
     */
    public static SequencedMap<String, String> hyperParameters(Model model, Bindings bindings) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        model.definition().ifPresent(definition -> {
            Session session = new Session(
                    new GraphEmission(definition.name().text(), Purpose.TRAIN), new Diagnostics(), NameListener.NONE);
            Environment names = new Elaborator(session).names(model, definition);
            new HyperParameters(session, bindings).bind(definition, names).forEach((name, value) -> {
                if (!(value instanceof Datum.Unknown)) {
                    texts.put(name, value.text());
                }
            });
        });
        return texts;
    }

    /** What the model's body sees before anything of it has run: layers. */
    private Environment names(Model model, Declaration.ModelDefinition definition) {
        Environment file = new Environment(Optional.empty(), new Instance(""), CallSites.NONE);
        defineLayers(model, file);
        Instance root = new Instance("");
        root.apply();
        return new Environment(Optional.of(file), root, CallSites.of(definition.body()));
    }

    private ElaboratedModel run(
            Model model, Declaration.ModelDefinition definition, Bindings bindings, Purpose purpose) {
        Environment names = names(model, definition);
        HyperParameters parameters = new HyperParameters(session, bindings);
        SequencedMap<String, Datum> values = parameters.bind(definition, names);
        names.takeFound();
        session.statements().block(definition.body(), names);
        Set<String> read = names.takeFound();
        parameters.bindForTraining(names);
        Optional<TrainingSpec> training = model.train()
                .map(train -> TrainingSettings.read(session, train, names))
                .orElse(Optional.of(TrainingSpec.NONE));
        boolean gives = purpose == Purpose.EVALUATE && session.graph().hasOutputs();
        if (model.train().isEmpty() && !gives) {
            session.diagnostics()
                    .add(Diagnostic.error(
                                    "E0402",
                                    definition.name().location(),
                                    "the file has no train block",
                                    "such as: train { minimize loss; optimizer adamw(lr = 3e-4) }",
                                    "without one, what it outputs can be evaluated and exported")
                            .underlining(definition.name().text().length()));
        }
        session.diagnostics().throwIfErrors();
        Graph forward = session.graph().build();
        session.listener().built(forward);
        return new ElaboratedModel(
                definition.name().text(),
                CanonicalForm.hash(model, canonical(values)),
                identity(model, values, read),
                purpose,
                forward,
                training.orElseThrow(),
                HyperParameters.symbols(definition),
                parameters.extents(),
                Optional.empty());
    }

    private static List<String> canonical(SequencedMap<String, Datum> values) {
        return values.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue().canonical())
                .toList();
    }

    /** @param read by the body */
    private static ModelIdentity identity(Model model, SequencedMap<String, Datum> values, Set<String> read) {
        SortedMap<String, String> ofGraph = new TreeMap<>();
        SortedMap<String, String> ofTraining = new TreeMap<>();
        values.forEach((name, value) -> (read.contains(name) ? ofGraph : ofTraining).put(name, value.text()));
        CanonicalForm.settings(model).forEach((name, value) -> {
            if (!OVERRIDDEN.contains(name)) {
                ofTraining.merge(name, value, (first, second) -> first + "; " + second);
            }
        });
        return new ModelIdentity(CanonicalForm.bodyHash(model), ofGraph, ofTraining);
    }

    /** Layers of included files first, each file once. */
    private void defineLayers(Model model, Environment names) {
        if (!included.add(model.location().file())) {
            return;
        }
        for (Declaration declaration : model.declarations()) {
            try {
                switch (declaration) {
                    case Declaration.Include include -> defineLayers(include.content(), names);
                    case LayerDefinition layer -> session.statements().define(layer, names);
                    case Declaration.OptimizerDefinition optimizer ->
                        session.optimizers().add(optimizer.layer(), names);
                    case Declaration.ModelDefinition _, Declaration.Train _ -> {}
                }
            } catch (ElaborationAborted failure) {
                session.report(failure);
            }
        }
    }
}
