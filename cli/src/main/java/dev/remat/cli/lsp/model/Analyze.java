package dev.remat.cli.lsp.model;

import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Scope;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.model.UnboundSymbolException;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.SourceFiles;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.ParameterException;

/** Reads and elaborates a text as {@code remat plan} does, as far as no plan is needed. */
public final class Analyze {
    private static final String NO_MODEL = "E0404";

    private final Document document;
    private final IncludeResolver includes;
    private final PlanWords words;
    private final BooleanSupplier superseded;
    private final List<StandsFor> elaborated = new ArrayList<>();
    private final List<Diagnostic> findings = new ArrayList<>();
    private Optional<String> complaint = Optional.empty();
    private Optional<Analysis.Asked> step = Optional.empty();

    private Analyze(Document document, IncludeResolver includes, String configured, BooleanSupplier superseded) {
        this.document = document;
        this.includes = includes;
        this.words = PlanWords.of(document, configured);
        this.superseded = superseded;
    }

    /**
     * What is found.
     *
     * @param configured words for {@code plan} that the editor has for models without their own
     * @param superseded whether nobody wants to know any more
     * @throws java.util.concurrent.CancellationException if so
     */
    public static Analysis run(
            Document document, IncludeResolver includes, String configured, BooleanSupplier superseded) {
        return new Analyze(document, includes, configured, superseded).run();
    }

    private Analysis run() {
        List<Source> files = new ArrayList<>(List.of(document.source()));
        if (document.text().getBytes(StandardCharsets.UTF_8).length > SourceFiles.LARGEST) {
            findings.add(Diagnostic.error(
                    "E0108", document.location(0), "the file is larger than " + SourceFiles.LARGEST + " bytes"));
        } else {
            IncludeResolver kept = (path, from) -> {
                IncludeResolver.Result result = includes.resolve(path, from);
                if (result instanceof IncludeResolver.Found(Source source) && !files.contains(source)) {
                    files.add(source);
                }
                return result;
            };
            ModelText text = ModelText.of(document.source(), kept, _ -> {
                StandsFor heard = new StandsFor(superseded);
                elaborated.add(heard);
                return heard;
            });
            elaborate(text);
        }
        return new Analysis(document, files, words, findings, complaint, elaborated, step);
    }

    private void elaborate(ModelText text) {
        Optional<PlanAsked> options = options();
        try {
            ModelSettings settings =
                    options.map(asked -> asked.settings().settings()).orElse(ModelSettings.NONE);
            ModelSession plain = ModelSession.of(text, settings);
            ModelSession session = options.map(
                            asked -> asked.batches().cut(asked.planning().seeded(plain)))
                    .orElse(plain);
            take(options, session);
            findings.addAll(text.warnings());
            overSymbols(text, settings);
        } catch (ModelException e) {
            boolean trains = document.names().scopes().stream().anyMatch(scope -> scope.kind() == Scope.Kind.TRAIN);
            boolean onlyLayers = !trains
                    && e.diagnostics().stream().allMatch(each -> each.code().equals(NO_MODEL));
            if (!onlyLayers) {
                findings.addAll(e.diagnostics());
            }
        } catch (ParameterException e) {
            complaint = Optional.of(e.getMessage());
        }
    }

    private Optional<PlanAsked> options() {
        if (words.words().isEmpty() && words.comment().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(PlanAsked.of(words.words()));
        } catch (ParameterException e) {
            complaint = Optional.of(e.getMessage());
            return Optional.empty();
        }
    }

    /** Elaborates the step, or the model over its symbols where a step is out of reach. */
    private void take(Optional<PlanAsked> options, ModelSession session) {
        try {
            if (options.isPresent() && !options.get().batches().isAuto()) {
                options.get().batches().step(session, Purpose.TRAIN);
            } else if (options.isEmpty()) {
                session.step(Purpose.TRAIN);
            } else {
                session.whole(Purpose.TRAIN);
            }
            step = options.map(asked -> new Analysis.Asked(asked, session));
        } catch (UnboundSymbolException e) {
            session.open(Purpose.TRAIN);
            complaint = complaint.or(() -> options.map(_ -> e.getMessage() + ", such as --set " + e.symbol() + "=16"));
        }
    }

    /** Once more with no symbol set, for what is shown in symbols; a model that needs a number has none. */
    private void overSymbols(ModelText text, ModelSettings settings) {
        Bindings open = settings.set();
        List<String> symbols = document.names().scopes().stream()
                .flatMap(scope -> scope.variables().stream())
                .filter(variable -> variable.kind() == Variable.Kind.SYMBOL)
                .map(Variable::name)
                .toList();
        for (String symbol : symbols) {
            open = open.without(symbol);
        }
        if (open.equals(settings.set())) {
            return;
        }
        int before = elaborated.size();
        try {
            text.elaborate(open, Purpose.TRAIN);
            elaborated.addFirst(elaborated.removeLast());
        } catch (ModelException e) {
            // A loop over a symbol, say: what is set is shown alone.
            while (elaborated.size() > before) {
                elaborated.removeLast();
            }
        }
    }

    /** Where a finding is that is about no text: at the comment that sets it, else at the name of the model. */
    public static Location placeOf(Analysis analysis) {
        Document document = analysis.document();
        int offset = analysis.words()
                .comment()
                .map(token -> token.start())
                .orElseGet(() -> document.names().mentions().stream()
                        .map(each -> each.start())
                        .findFirst()
                        .orElse(0));
        return document.location(offset);
    }
}
