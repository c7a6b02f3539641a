package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.ast.Target;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.ir.diagnostic.Location;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Executes statements. One that fails is reported, and the names it would have bound become unknown, so that the rest
 * can be checked without errors that only follow from it.
 */
final class StatementExecutor {
    private final Session session;
    private final Declarations declarations;
    private final Map<Location, CallSites> sites = new LinkedHashMap<>();

    StatementExecutor(Session session) {
        this.session = session;
        this.declarations = new Declarations(session);
    }

    Declarations declarations() {
        return declarations;
    }

    /** What the layer returns. */
    Datum body(LayerDefinition layer, Environment names) {
        return block(layer.body(), names)
                .orElseThrow(() -> session.failure(
                        "E0207",
                        layer.name().location(),
                        layer.name().text().length(),
                        "layer '" + layer.name() + "' ends without a return"));
    }

    /** Executes up to a return, whose value it gives. */
    Optional<Datum> block(Block block, Environment names) {
        for (Statement statement : block.statements()) {
            session.spend(1, statement.location());
            try {
                Optional<Datum> returned = execute(statement, names);
                if (returned.isPresent()) {
                    return returned;
                }
            } catch (ElaborationAborted failure) {
                session.report(failure);
                AssignedNames.of(statement).forEach(name -> names.set(name, new Datum.Unknown()));
                if (statement instanceof Statement.Return || AssignedNames.mayReturn(statement)) {
                    return Optional.of(new Datum.Unknown());
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Datum> execute(Statement statement, Environment names) {
        switch (statement) {
            case LayerDefinition layer -> define(layer, names);
            case Statement.Symbols symbols -> declarations.symbols(symbols, names);
            case Statement.Input input -> declarations.input(input, names);
            case Statement.Param param -> declarations.param(param, names);
            case Statement.Output output -> declarations.output(output, names);
            case Statement.Let let -> let(let, names);
            case Statement.Assign assign -> assign(assign, names);
            case Statement.Return result -> {
                return Optional.of(session.expressions().evaluate(result.value(), names));
            }
            case Statement.Repeat repeat -> {
                return repeat(repeat, names);
            }
            case Statement.For loop -> {
                return loop(loop, names);
            }
            case Statement.If choice -> {
                return choice(choice, names);
            }
            case Statement.Pinned pinned -> pin(pinned, names);
            case Statement.Stage stage -> session.markStage(stage.location());
            case Statement.Recompute recompute -> {
                return session.inRegion(
                        1, recompute.location(), "recompute".length(), () -> block(recompute.body(), names));
            }
            case Statement.Segments segments -> {
                long count = count(segments.count(), names);
                if (count < 1) {
                    throw session.failure(
                            "E0306", segments.count().location(), 1, "segments are at least 1, not " + count);
                }
                return session.inRegion(
                        (int) count, segments.location(), "segments".length(), () -> block(segments.body(), names));
            }
            case Statement.Chunks chunks -> {
                long count = count(chunks.count(), names);
                if (count < 1) {
                    throw session.failure("E0306", chunks.count().location(), 1, "chunks are at least 1, not " + count);
                }
                return session.inChunks((int) count, chunks.location(), () -> block(chunks.body(), names));
            }
        }
        return Optional.empty();
    }

    /** Makes a layer known in {@code names}. */
    void define(LayerDefinition layer, Environment names) {
        declarations.declare(layer.name(), names);
        CallSites calls = sites.computeIfAbsent(layer.location(), location -> CallSites.of(layer.body()));
        names.set(layer.name().text(), new Functions.Layer(layer, names, calls));
    }

    private void let(Statement.Let let, Environment names) {
        Datum value = session.expressions().known(let.value(), names);
        if (value instanceof Datum.Tensor) {
            throw session.failure(
                    "E0302",
                    let.location(),
                    "let".length(),
                    "'let' names hyper-parameters, and this is a tensor",
                    "leave out the 'let'");
        }
        bind(let.targets(), value, let.location(), names);
    }

    private void assign(Statement.Assign assign, Environment names) {
        int mark = session.graph().latest();
        Datum value = session.expressions().known(assign.value(), names);
        if (value instanceof Datum.Placeholder) {
            throw session.failure("E0201", assign.value().location(), 1, "'_' stands for an argument only");
        }
        bind(assign.targets(), value, assign.location(), names);
        for (Identifier name : assign.names()) {
            if (!name.text().equals("_") && names.find(name.text()).orElseThrow() instanceof Datum.Tensor tensor) {
                session.graph().name(tensor.id(), names.instance().path(name.text()), mark);
            }
        }
    }

    private void bind(List<Target> targets, Datum value, Location location, Environment names) {
        if (targets.size() == 1) {
            bind(targets.getFirst(), value, names);
            return;
        }
        if (!(value instanceof Datum.ListValue items) || items.elements().size() != targets.size()) {
            String found = value instanceof Datum.ListValue items
                    ? items.elements().size() + " values"
                    : "one value, " + value.kind();
            throw session.failure("E0207", location, 1, targets.size() + " names take " + found);
        }
        for (int i = 0; i < targets.size(); i++) {
            bind(targets.get(i), items.elements().get(i), names);
        }
    }

    private void bind(Target target, Datum value, Environment names) {
        switch (target) {
            case Target.Tuple tuple -> bind(tuple.elements(), value, tuple.location(), names);
            case Target.Name name -> {
                if (!name.name().text().equals("_")) {
                    names.set(name.name().text(), value);
                    session.tell(name.location(), value);
                }
            }
        }
    }

    private Optional<Datum> repeat(Statement.Repeat repeat, Environment names) {
        long count = count(repeat.count(), names);
        int before = session.diagnostics().count();
        for (long i = 0; i < count; i++) {
            Optional<Datum> returned = block(repeat.body(), names);
            if (returned.isPresent() || failedSince(before)) {
                return returned;
            }
        }
        return Optional.empty();
    }

    private Optional<Datum> loop(Statement.For loop, Environment names) {
        Datum elements = session.expressions().known(loop.elements(), names);
        if (!(elements instanceof Datum.ListValue items)) {
            throw session.failure(
                    "E0302",
                    loop.elements().location(),
                    Span.of(loop.elements()),
                    "'for' goes over a list, not " + elements.kind(),
                    "range(n) gives the integers below n");
        }
        int before = session.diagnostics().count();
        for (Datum element : items.elements()) {
            bind(loop.targets(), element, loop.targets().getFirst().location(), names);
            Optional<Datum> returned = block(loop.body(), names);
            if (returned.isPresent() || failedSince(before)) {
                return returned;
            }
        }
        return Optional.empty();
    }

    /** One round with errors is enough. */
    private boolean failedSince(int before) {
        return session.diagnostics().count() > before;
    }

    private Optional<Datum> choice(Statement.If choice, Environment names) {
        for (Statement.Branch branch : choice.branches()) {
            if (session.expressions().condition(branch.condition(), names)) {
                return block(branch.body(), names);
            }
        }
        return choice.otherwise().flatMap(last -> block(last, names));
    }

    private void pin(Statement.Pinned pinned, Environment names) {
        for (Identifier name : pinned.names()) {
            Expression.Name read = new Expression.Name(name.location(), name.text());
            Datum value = session.expressions().known(read, names);
            session.expressions()
                    .pin(pinned.pin(), value, name.location(), name.text().length());
        }
    }

    /** A number of rounds or segments. */
    private long count(Expression expression, Environment names) {
        Datum value = session.expressions().known(expression, names);
        if (!(value instanceof Datum.IntValue count)) {
            throw session.failure(
                    "E0302",
                    expression.location(),
                    Span.of(expression),
                    "a number of times is an integer, not " + value.kind());
        }
        long known = session.guarded(
                expression.location(), Span.of(expression), names.instance(), () -> Numbers.known(count.value()));
        if (known < 0) {
            throw session.failure("E0306", expression.location(), Span.of(expression), known + " times is negative");
        }
        if (known > 1_000_000) {
            throw session.failure(
                    "E0305", expression.location(), Span.of(expression), known + " times is more than 1000000");
        }
        return known;
    }
}
