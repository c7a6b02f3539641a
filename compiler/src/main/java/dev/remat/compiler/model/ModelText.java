package dev.remat.compiler.model;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.stage.NameListener;
import dev.remat.compiler.syntax.CanonicalForm;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.unread.UnreadNames;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.SourceFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** A model in remat's language: a text, and the files that it includes. */
public final class ModelText implements ModelSource {
    private final Supplier<Source> main;
    private final IncludeResolver includes;
    private final Function<Bindings, NameListener> listeners;
    private final List<Source> files = new ArrayList<>();
    private Optional<Model> parsed = Optional.empty();

    private ModelText(Supplier<Source> main, IncludeResolver includes, Function<Bindings, NameListener> listeners) {
        this.main = main;
        this.includes = includes;
        this.listeners = listeners;
    }

    /** A file, which finds what it includes from its folder. */
    public static ModelText file(Path file) {
        return new ModelText(() -> SourceFiles.read(file), new FolderIncludes(file), _ -> NameListener.NONE);
    }

    public static ModelText of(Source text, IncludeResolver includes) {
        return of(text, includes, _ -> NameListener.NONE);
    }

    /**
     * With somebody who hears what its names stand for.
     *
     * @param listeners one for each time that it is elaborated, by what is set then
     */
    public static ModelText of(Source text, IncludeResolver includes, Function<Bindings, NameListener> listeners) {
        return new ModelText(() -> text, includes, listeners);
    }

    /**
     * A text that was read before, which finds nothing but the others.
     *
     * @param files the model's own first
     */
    public static ModelText of(List<Source> files) {
        Map<String, Source> byName = new LinkedHashMap<>();
        files.forEach(source -> byName.put(source.file(), source));
        return of(files.getFirst(), (path, from) -> {
            String name = Path.of(from.file()).resolveSibling(path).normalize().toString();
            Source source = byName.get(name);
            return source == null
                    ? new IncludeResolver.Refused("E0109", "the recipe has no file '" + name + "'")
                    : new IncludeResolver.Found(source);
        });
    }

    @Override
    public List<Source> files() {
        model();
        return List.copyOf(files);
    }

    @Override
    public Optional<Identity> identity() {
        return model().definition()
                .map(definition -> new Identity(definition.name().text(), CanonicalForm.bodyHash(model())));
    }

    @Override
    public Set<String> trainingSettings() {
        return CanonicalForm.settings(model()).keySet();
    }

    @Override
    public Optional<String> batchSymbol() {
        Set<Optional<String>> first = new LinkedHashSet<>();
        Set<String> symbols = new LinkedHashSet<>();
        model().definition().ifPresent(definition -> {
            for (Statement statement : definition.body().statements()) {
                if (statement instanceof Statement.Input input) {
                    first.add(firstDim(input));
                } else if (statement instanceof Statement.Symbols declared) {
                    declared.names().forEach(name -> symbols.add(name.text()));
                }
            }
        });
        return first.size() == 1 ? first.iterator().next().filter(symbols::contains) : Optional.empty();
    }

    private static Optional<String> firstDim(Statement.Input input) {
        return input.type().dims().stream()
                .findFirst()
                .flatMap(dim -> dim instanceof Expression.Name name ? Optional.of(name.text()) : Optional.empty());
    }

    @Override
    public List<Diagnostic> warnings() {
        return UnreadNames.of(model());
    }

    @Override
    public SequencedMap<String, String> hyperParameters(Bindings bindings) {
        return Elaborator.hyperParameters(model(), bindings);
    }

    @Override
    public ElaboratedModel elaborate(Bindings bindings, Purpose purpose) {
        return Elaborator.elaborate(model(), bindings, purpose, listeners.apply(bindings));
    }

    private Model model() {
        if (parsed.isEmpty()) {
            Source text = main.get();
            files.add(text);
            parsed = Optional.of(ModelParser.parse(text, this::kept));
        }
        return parsed.get();
    }

    private IncludeResolver.Result kept(String path, Source from) {
        IncludeResolver.Result result = includes.resolve(path, from);
        if (result instanceof IncludeResolver.Found(Source source) && !files.contains(source)) {
            files.add(source);
        }
        return result;
    }
}
