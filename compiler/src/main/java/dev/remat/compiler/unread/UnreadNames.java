package dev.remat.compiler.unread;

import dev.remat.compiler.ast.Argument;
import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Parameter;
import dev.remat.compiler.ast.SettingBlock;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.ast.TensorType;
import dev.remat.compiler.training.ParameterPattern;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Warns of inputs, parameters, hyper-parameters, symbols, layers and {@code let} names that nothing reads. It goes by
 * the text, so a branch that is not taken reads what it names; where the text leaves open which of several names of the
 * same spelling is meant, all count as read.
 */
public final class UnreadNames {
    private static final String PARAMETER = "parameter";
    private static final String BUFFER = "buffer";

    private final List<Scope> scopes = new ArrayList<>();
    private final Set<String> attributes = new LinkedHashSet<>();
    private final Set<ParameterPattern> patterns = new LinkedHashSet<>();
    private boolean included;

    private UnreadNames() {}

    /** Up to {@link Diagnostics#LIMIT} warnings (W0201) in the order of the text; none about files it includes. */
    public static List<Diagnostic> of(Model model) {
        UnreadNames names = new UnreadNames();
        names.file(model);
        return names.findings();
    }

    private List<Diagnostic> findings() {
        Diagnostics findings = new Diagnostics();
        scopes.stream()
                .flatMap(scope -> scope.unread(this::isReadFromAfar).stream())
                .sorted((first, second) -> Diagnostics.BY_PLACE.compare(
                        first.name().location(), second.name().location()))
                .map(UnreadNames::warning)
                .forEach(findings::add);
        return findings.inOrder();
    }

    private static Diagnostic warning(Scope.Declared declared) {
        Identifier name = declared.name();
        return Diagnostic.warning(
                        "W0201",
                        name.location(),
                        "nothing reads the " + declared.kind() + " '" + name + "'",
                        "leave it out, or let its name start with _")
                .underlining(name.text().length());
    }

    /** Parameters are known outside their layer: as {@code layer.weight}, and to patterns of parameter names. */
    private boolean isReadFromAfar(Scope.Declared declared) {
        String name = declared.name().text();
        return (declared.kind().equals(PARAMETER) || declared.kind().equals(BUFFER))
                && (attributes.contains(name) || patterns.stream().anyMatch(pattern -> pattern.matches(name)));
    }

    private Scope scope(Optional<Scope> outer, String layer) {
        Scope scope = new Scope(outer, layer);
        scopes.add(scope);
        return scope;
    }

    private void declare(String kind, Identifier name, Scope scope) {
        if (!included) {
            scope.declare(kind, name);
        }
    }

    private void file(Model model) {
        Scope file = scope(Optional.empty(), "");
        layers(model, file);
        model.definition().ifPresent(definition -> {
            Scope body = scope(Optional.of(file), "");
            for (Parameter parameter : definition.parameters()) {
                parameter.fallback().ifPresent(value -> expression(value, body));
                declare("hyper-parameter", parameter.name(), body);
                body.bind(parameter.name());
            }
            statements(definition.body(), body, true);
            model.train().ifPresent(train -> settings(train.settings(), body));
        });
    }

    private void layers(Model model, Scope file) {
        for (Declaration declaration : model.declarations()) {
            switch (declaration) {
                case Declaration.Include include -> {
                    boolean before = included;
                    included = true;
                    layers(include.content(), file);
                    included = before;
                }
                case LayerDefinition layer -> layer("layer", layer, file);
                case Declaration.OptimizerDefinition optimizer -> layer("optimizer", optimizer.layer(), file);
                case Declaration.ModelDefinition definition -> {}
                case Declaration.Train train -> {}
            }
        }
    }

    private void layer(String kind, LayerDefinition layer, Scope outer) {
        declare(kind, layer.name(), outer);
        Scope body = scope(Optional.of(outer), layer.name().text());
        for (Parameter parameter : layer.parameters()) {
            parameter.fallback().ifPresent(value -> expression(value, body));
            body.bind(parameter.name());
        }
        statements(layer.body(), body, true);
    }

    private void settings(SettingBlock block, Scope scope) {
        block.settings().forEach(setting -> {
            setting.value().ifPresent(value -> expression(value, scope));
            setting.details().ifPresent(details -> settings(details, scope));
        });
    }

    /** @param certain whether the block is executed for sure, and once at least */
    private void statements(Block block, Scope scope, boolean certain) {
        block.statements().forEach(statement -> statement(statement, scope, certain));
    }

    private void statement(Statement statement, Scope scope, boolean certain) {
        switch (statement) {
            case LayerDefinition layer -> {
                layer("layer", layer, scope);
                bind(List.of(layer.name()), scope, certain);
            }
            case Statement.Symbols symbols -> {
                symbols.names().forEach(name -> declare("symbol", name, scope));
                bind(symbols.names(), scope, certain);
            }
            case Statement.Input input -> {
                type(input.type(), scope);
                declare("input", input.name(), scope);
                bind(List.of(input.name()), scope, certain);
            }
            case Statement.Param param -> {
                type(param.type(), scope);
                param.initializer().ifPresent(start -> expression(start, scope));
                declare(param.trained() ? PARAMETER : BUFFER, param.name(), scope);
                bind(List.of(param.name()), scope, certain);
            }
            case Statement.Let let -> {
                expression(let.value(), scope);
                let.names().forEach(name -> declare("name", name, scope));
                bind(let.names(), scope, certain);
            }
            case Statement.Assign assign -> {
                expression(assign.value(), scope);
                bind(assign.names(), scope, certain);
            }
            case Statement.Stage _ -> {}
            case Statement.Output output -> read(output.names(), scope);
            case Statement.Pinned pinned -> read(pinned.names(), scope);
            case Statement.Return result -> expression(result.value(), scope);
            case Statement.Repeat repeat -> {
                expression(repeat.count(), scope);
                statements(repeat.body(), scope, false);
            }
            case Statement.For loop -> {
                expression(loop.elements(), scope);
                statements(loop.body(), scope, false);
            }
            case Statement.If choice -> {
                for (Statement.Branch branch : choice.branches()) {
                    expression(branch.condition(), scope);
                    statements(branch.body(), scope, false);
                }
                choice.otherwise().ifPresent(last -> statements(last, scope, false));
            }
            case Statement.Recompute recompute -> statements(recompute.body(), scope, certain);
            case Statement.Chunks chunks -> {
                expression(chunks.count(), scope);
                statements(chunks.body(), scope, certain);
            }
            case Statement.Segments segments -> {
                expression(segments.count(), scope);
                statements(segments.body(), scope, certain);
            }
        }
    }

    private static void bind(List<Identifier> names, Scope scope, boolean certain) {
        if (certain) {
            names.forEach(scope::bind);
        }
    }

    private static void read(List<Identifier> names, Scope scope) {
        names.forEach(name -> scope.read(name.text()));
    }

    private void type(TensorType type, Scope scope) {
        expressions(type.dims(), scope);
    }

    private void expressions(List<Expression> all, Scope scope) {
        all.forEach(each -> expression(each, scope));
    }

    private void expression(Expression expression, Scope scope) {
        switch (expression) {
            case Expression.Name name -> scope.read(name.text());
            case Expression.StringLiteral string -> pattern(string.value());
            case Expression.Literal _ -> {}
            case Expression.ListLiteral list -> expressions(list.elements(), scope);
            case Expression.TupleLiteral tuple -> expressions(tuple.elements(), scope);
            case Expression.Attribute attribute -> {
                attributes.add(attribute.name().text());
                expression(attribute.target(), scope);
            }
            case Expression.Index index -> expressions(index.parts(), scope);
            case Expression.Call call -> {
                expression(call.callee(), scope);
                expressions(call.arguments().stream().map(Argument::value).toList(), scope);
            }
            case Expression.Named named -> expression(named.target(), scope);
            case Expression.Pinned pinned -> expression(pinned.target(), scope);
            case Expression.Unary unary -> expression(unary.operand(), scope);
            case Expression.Binary binary -> expressions(List.of(binary.left(), binary.right()), scope);
            case Expression.Pipe pipe -> expressions(List.of(pipe.left(), pipe.right()), scope);
            case Expression.Conditional choice ->
                expressions(List.of(choice.condition(), choice.yes(), choice.no()), scope);
        }
    }

    /** Any string may come to be a pattern of parameter names, by way of a hyper-parameter too. */
    private void pattern(String text) {
        for (String part : text.split("\\.", -1)) {
            if (!part.replace("*", "").isEmpty()) {
                patterns.add(new ParameterPattern(part));
            }
        }
    }
}
