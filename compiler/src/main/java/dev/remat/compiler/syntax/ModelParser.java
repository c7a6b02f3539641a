package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Model;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Parses model files. A file that several files include is parsed once, and all of them hold the same tree. */
public final class ModelParser {
    private static final int MOST_FILES = 256;
    private static final Model UNAVAILABLE = new Model(Location.NONE, 1, List.of());

    private final IncludeResolver includes;
    private final Diagnostics diagnostics = new Diagnostics();
    private final Map<String, Optional<Model>> files = new LinkedHashMap<>();

    private ModelParser(IncludeResolver includes) {
        this.includes = includes;
    }

    /**
     * The syntax tree of {@code source} and of all it includes.
     *
     * @throws dev.remat.ir.diagnostic.ModelException with up to 20 diagnostics (E01xx) if the text is not a model file
     */
    public static Model parse(Source source, IncludeResolver includes) {
        ModelParser parser = new ModelParser(includes);
        Model model = parser.file(source, new Location(source.file(), 1, 1));
        parser.diagnostics.throwIfErrors();
        return model;
    }

    /**
     * The syntax tree of a text that is one value, as {@code --set} takes it.
     *
     * @throws dev.remat.ir.diagnostic.ModelException with diagnostics (E01xx) if it is none, or more than that
     */
    public static Expression parseValue(Source source) {
        Diagnostics diagnostics = new Diagnostics();
        Expression value = FileParser.value(source, diagnostics);
        diagnostics.throwIfErrors();
        return value;
    }

    private Model file(Source source, Location cause) {
        Optional<Model> known = files.get(source.file());
        if (known != null) {
            return known.orElseGet(() -> {
                report("E0111", cause, "'" + source.file() + "' includes itself, directly or through another file");
                return UNAVAILABLE;
            });
        }
        if (files.size() == MOST_FILES) {
            report("E0108", cause, "a model is made of at most " + MOST_FILES + " files");
            return UNAVAILABLE;
        }
        files.put(source.file(), Optional.empty());
        Model model = FileParser.parse(source, diagnostics, (path, location) -> include(path, location, source))
                .model()
                .orElse(UNAVAILABLE);
        files.put(source.file(), Optional.of(model));
        return model;
    }

    private Model include(String path, Location location, Source from) {
        return switch (includes.resolve(path, from)) {
            case IncludeResolver.Refused refused -> {
                report(refused.code(), location, refused.reason());
                yield UNAVAILABLE;
            }
            case IncludeResolver.Found found -> {
                Model content = file(found.source(), location);
                if (content.declarations().stream().anyMatch(ModelParser::isOfMainFile)) {
                    report("E0112", location, "'" + path + "' has a model or train block of its own");
                }
                yield content;
            }
        };
    }

    private static boolean isOfMainFile(Declaration declaration) {
        return declaration instanceof Declaration.ModelDefinition || declaration instanceof Declaration.Train;
    }

    private void report(String code, Location location, String message) {
        diagnostics.add(Diagnostic.error(code, location, message));
    }
}
