package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.ast.Subscript;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Kind;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.Subscripts;
import dev.remat.compiler.builtin.Subscripts.Selector;
import dev.remat.ir.Dim;
import dev.remat.ir.diagnostic.Count;
import java.util.ArrayList;
import java.util.List;

/** What {@code a[…]} means: parts of tensors and lists, elements of lists, calls by their number. */
final class IndexEvaluator {
    private final Session session;
    private final Environment names;

    IndexEvaluator(Session session, Environment names) {
        this.session = session;
        this.names = names;
    }

    Datum evaluate(Expression.Index index, Datum target) {
        if (target instanceof Datum.Tensor tensor) {
            return part(index, tensor);
        }
        Subscript only = index.subscripts().getFirst();
        if (index.subscripts().size() == 1) {
            if (target instanceof Datum.ListValue items && only instanceof Subscript.Range range) {
                return part(items, range);
            } else if (target instanceof Datum.ListValue items && only instanceof Subscript.Place(Expression place)) {
                return items.elements()
                        .get(within(
                                place, items.elements().size(), items.elements().size() - 1));
            } else if (target instanceof Instance.Numbered numbered && only instanceof Subscript.Place(Expression at)) {
                long i = known(at);
                Instance call = i == (int) i ? numbered.calls().get((int) i) : null;
                if (call == null) {
                    throw outside(at, i, numbered.calls().size());
                }
                return call;
            }
        }
        throw session.failure(
                "E0302",
                index.location(),
                Span.of(index),
                target instanceof Datum.ListValue || target instanceof Instance.Numbered
                        ? target.kind() + " has one index"
                        : target.kind() + " cannot be indexed");
    }

    private Datum part(Expression.Index index, Datum.Tensor tensor) {
        List<Selector> selectors =
                index.subscripts().stream().map(this::selector).toList();
        session.graph().at(index.location(), names.instance());
        return session.guarded(
                index.location(),
                Span.of(index),
                names.instance(),
                () -> new Datum.Tensor(Subscripts.select(tensor.id(), selectors, session.graph())));
    }

    private Selector selector(Subscript subscript) {
        return switch (subscript) {
            case Subscript.Rest _ -> new Selector.Rest();
            case Subscript.Range range ->
                new Selector.Range(
                        range.start().map(this::integer),
                        range.end().map(this::integer),
                        range.step().map(this::known).orElse(1L));
            case Subscript.Place(Expression place) ->
                switch (session.expressions().known(place, names)) {
                    case Datum.IntValue(Dim at) -> new Selector.At(at);
                    case Datum.None _ -> new Selector.NewAxis();
                    case Datum.Tensor index -> new Selector.ByTensor(index.id());
                    case Datum.ListValue list
                    when Kind.INTS.accepts(list) ->
                        new Selector.Listed(list.elements().stream()
                                .map(each -> ((Datum.IntValue) each).value())
                                .toList());
                    case Datum other -> throw noIndex(place, other);
                };
        };
    }

    private Datum part(Datum.ListValue items, Subscript.Range range) {
        int size = items.elements().size();
        long step = range.step().map(this::known).orElse(1L);
        if (step < 1) {
            Expression at = range.step().orElseThrow();
            throw session.failure("E0306", at.location(), Span.of(at), "a step is positive, not " + step);
        }
        int start = range.start().map(at -> within(at, size, size)).orElse(0);
        int end = range.end().map(at -> within(at, size, size)).orElse(size);
        List<Datum> part = new ArrayList<>();
        for (long i = start; i < end; i += step) {
            part.add(items.elements().get((int) i));
        }
        return new Datum.ListValue(part, items.isTuple());
    }

    /** A place from 0 to {@code most}; negative ones count from the end. */
    private int within(Expression at, int size, int most) {
        long i = known(at);
        long from = i < 0 ? i + size : i;
        if (from < 0 || from > most) {
            throw outside(at, i, size);
        }
        return (int) from;
    }

    private long known(Expression expression) {
        Dim value = integer(expression);
        return session.guarded(expression.location(), 1, names.instance(), () -> Numbers.known(value));
    }

    private Dim integer(Expression expression) {
        return switch (session.expressions().known(expression, names)) {
            case Datum.IntValue(Dim value) -> value;
            case Datum other -> throw noIndex(expression, other);
        };
    }

    private ElaborationAborted noIndex(Expression at, Datum value) {
        return session.failure("E0302", at.location(), Span.of(at), "an index is an integer, not " + value.kind());
    }

    private ElaborationAborted outside(Expression at, long i, int size) {
        return session.failure(
                "E0306", at.location(), Span.of(at), "index " + i + " is outside of " + Count.of(size, "element"));
    }
}
