package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Argument;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Parameter;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.elaborate.Functions.GivenArgument;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/** Calls: binds arguments, names what owns parameters, and applies builtins and layers. */
final class CallEvaluator {
    /** What a layer counts for, next to an expression, in how deep an elaboration may go. */
    private static final int LEVELS_OF_A_LAYER = 4;

    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*");

    private final Session session;

    CallEvaluator(Session session) {
        this.session = session;
    }

    /**
     * What a call is known by.
     *
     * @param written the callee as written, where it is a name
     * @param alias given by {@code as}
     */
    record CallSite(Location location, int length, Optional<String> written, Optional<Identifier> alias) {}

    /** The value of a call, or a partial application if an argument is left open. */
    Datum call(Expression.Call call, Optional<Identifier> alias, Environment names) {
        Datum.Function function = function(call.callee(), names);
        List<GivenArgument> given = arguments(call, names);
        CallSite site = site(call.callee(), alias);
        return given.stream().anyMatch(GivenArgument::isOpen)
                ? partial(function, given, site, names)
                : apply(function, given, site, names);
    }

    /** {@code left |> stage}: the value takes the first open place of the stage, or goes in front. */
    Datum pipe(Datum left, Location leftLocation, Expression stage, Optional<Identifier> alias, Environment names) {
        GivenArgument piped = new GivenArgument(Optional.empty(), left, leftLocation);
        return switch (stage) {
            case Expression.Named named
            when alias.isEmpty() -> pipe(left, leftLocation, named.target(), Optional.of(named.name()), names);
            case Expression.Pinned pinned ->
                session.expressions().pinned(pinned, () -> pipe(left, leftLocation, pinned.target(), alias, names));
            case Expression.Call call -> {
                Datum.Function function = function(call.callee(), names);
                List<GivenArgument> given = new ArrayList<>(arguments(call, names));
                CallSite site = site(call.callee(), alias);
                if (given.stream().anyMatch(GivenArgument::isOpen)) {
                    yield apply(function, filled(given, List.of(piped)), site, names);
                }
                given.addFirst(piped);
                yield apply(function, given, site, names);
            }
            case Expression.Name _,
                    Expression.Literal _,
                    Expression.ListLiteral _,
                    Expression.TupleLiteral _,
                    Expression.Attribute _,
                    Expression.Index _,
                    Expression.Named _,
                    Expression.Unary _,
                    Expression.Binary _,
                    Expression.Pipe _,
                    Expression.Conditional _ ->
                apply(function(stage, names), List.of(piped), site(stage, alias), names);
        };
    }

    /** A layer that owns parameters by itself: every application uses those of {@code name}. */
    Datum share(Expression target, Identifier name, Environment names) {
        CallSite site = site(target, Optional.of(name));
        return partial(function(target, names), List.of(), site, names);
    }

    private Datum.Function function(Expression callee, Environment names) {
        Datum value = session.expressions().callee(callee, names);
        return switch (value) {
            case Datum.Function function -> function;
            case Datum.Unknown unknown -> throw ElaborationAborted.reportedBefore();
            case Datum other ->
                throw session.failure(
                        "E0302",
                        callee.location(),
                        Span.of(callee),
                        "this is " + other.kind() + " and cannot be called");
        };
    }

    private static CallSite site(Expression callee, Optional<Identifier> alias) {
        Optional<String> written = callee instanceof Expression.Name name ? Optional.of(name.text()) : Optional.empty();
        return new CallSite(callee.location(), Span.of(callee), written, alias);
    }

    private List<GivenArgument> arguments(Expression.Call call, Environment names) {
        List<GivenArgument> given = new ArrayList<>();
        boolean named = false;
        for (Argument argument : call.arguments()) {
            Location location = argument.value().location();
            if (named && argument.name().isEmpty()) {
                throw session.failure(
                        "E0203",
                        location,
                        Span.of(argument.value()),
                        "arguments without a name come before named ones");
            }
            named |= argument.name().isPresent();
            Datum value = session.expressions().evaluate(argument.value(), names);
            if (value instanceof Datum.Unknown) {
                throw ElaborationAborted.reportedBefore();
            }
            given.add(new GivenArgument(argument.name(), value, location));
        }
        return given;
    }

    private Datum partial(Datum.Function function, List<GivenArgument> given, CallSite site, Environment names) {
        Optional<Instance> shared = site.alias.map(alias -> allocate(function, site, names));
        return new Functions.Partial(function, given, shared);
    }

    /** Puts {@code more} into the open places, in order, and after what is given. */
    private static List<GivenArgument> filled(List<GivenArgument> given, List<GivenArgument> more) {
        List<GivenArgument> all = new ArrayList<>();
        List<GivenArgument> rest = new ArrayList<>(more);
        for (GivenArgument argument : given) {
            boolean fills = argument.isOpen()
                    && !rest.isEmpty()
                    && rest.getFirst().name().isEmpty();
            all.add(fills ? rest.removeFirst().named(argument.name()) : argument);
        }
        int positional = (int)
                all.stream().takeWhile(argument -> argument.name().isEmpty()).count();
        for (GivenArgument argument : rest) {
            if (argument.name().isEmpty()) {
                all.add(positional++, argument);
            } else {
                all.removeIf(earlier -> earlier.label().equals(argument.label()));
                all.add(argument);
            }
        }
        return all;
    }

    private Datum apply(Datum.Function function, List<GivenArgument> given, CallSite site, Environment names) {
        return switch (function) {
            case Functions.OfTable table -> {
                Builtin builtin = table.builtin();
                if (!builtin.ownsParameters() && site.alias.isPresent()) {
                    throw session.failure(
                            "E0204",
                            site.alias.get().location(),
                            site.alias.get().text().length(),
                            "'" + builtin.name() + "' owns no parameters to be known as '" + site.alias.get() + "'",
                            "to name the value, write " + site.alias.get() + " = …");
                }
                Instance owner = builtin.ownsParameters() ? allocate(function, site, names) : names.instance();
                yield builtin(builtin, given, site, owner, names);
            }
            case Functions.Layer layer -> layer(layer, given, site, allocate(function, site, names));
            case Functions.Partial partial -> applyPartial(partial, given, site, names);
            case Datum.Function other -> throw new IllegalStateException("unknown function " + other.name());
        };
    }

    private Datum applyPartial(Functions.Partial partial, List<GivenArgument> given, CallSite site, Environment names) {
        List<GivenArgument> all = filled(partial.given(), given);
        if (all.stream().anyMatch(GivenArgument::isOpen)) {
            throw session.failure(
                    "E0203", site.location, site.length, "'" + partial.name() + "' still misses an argument left open");
        }
        if (partial.shared().isEmpty()) {
            return apply(partial.target(), all, site, names);
        }
        if (site.alias.isPresent()) {
            throw session.failure(
                    "E0204",
                    site.alias.get().location(),
                    site.alias.get().text().length(),
                    "this layer is known as '" + partial.shared().get().path() + "' already");
        }
        return switch (partial.target()) {
            case Functions.OfTable table ->
                builtin(table.builtin(), all, site, partial.shared().get(), names);
            case Functions.Layer layer ->
                layer(layer, all, site, partial.shared().get());
            case Datum.Function other -> apply(other, all, site, names);
        };
    }

    /** The place of a call in the tree of names. */
    private Instance allocate(Datum.Function function, CallSite site, Environment names) {
        if (function instanceof Functions.OfTable table && !table.builtin().ownsParameters()) {
            throw session.failure(
                    "E0204", site.location, site.length, "'" + function.name() + "' owns no parameters to share");
        }
        String name = site.alias
                .map(Identifier::text)
                .orElseGet(() -> CallSites.nameOf(site.written.orElse(function.name())));
        boolean numbered = site.alias.isPresent()
                ? names.sites().isGivenInLoop(name)
                : names.sites().isNumbered(name) || site.written.isEmpty();
        Location location = site.alias.map(Identifier::location).orElse(site.location);
        if (!PATH.matcher(name).matches()) {
            throw session.failure(
                    "E0204",
                    location,
                    name.length() + 2,
                    "'" + name + "' is no name of parameters",
                    "letters, digits and _ make a name, and dots join several, as in \"encoder.layer\"");
        }
        int before = names.count(name);
        Instance place = names.instance().at(name, numbered ? before : Instance.SINGLE);
        if (before > 0 && !numbered || !place.take() && !names.instance().isAppliedAgain()) {
            throw session.failure(
                    "E0202",
                    location,
                    name.length(),
                    "another call is known as '" + place.path() + "'",
                    "give one of them another name with 'as'");
        }
        return place;
    }

    private Datum builtin(
            Builtin builtin, List<GivenArgument> given, CallSite site, Instance owner, Environment names) {
        SequencedMap<String, Datum> values = new LinkedHashMap<>();
        bind(builtin.name(), builtin.signature().names(), given, site)
                .forEach((name, argument) -> values.put(name, argument.value()));
        session.spend(1, site.location);
        if (builtin.ownsParameters()) {
            owner.apply();
        }
        session.graph().at(site.location, owner);
        Datum result = session.guarded(
                site.location,
                site.length,
                names.instance(),
                () -> builtin.body().call(Arguments.of(builtin.name(), builtin.signature(), values), session.graph()));
        session.tell(site.location, result);
        return result;
    }

    private Datum layer(Functions.Layer layer, List<GivenArgument> given, CallSite site, Instance instance) {
        session.countCall(site.location);
        instance.apply();
        List<Parameter> parameters = layer.definition().parameters();
        SequencedMap<String, GivenArgument> bound = bind(
                layer.name(),
                parameters.stream().map(parameter -> parameter.name().text()).toList(),
                given,
                site);
        Environment inside = new Environment(Optional.of(layer.around()), instance, layer.sites());
        for (Parameter parameter : parameters) {
            String name = parameter.name().text();
            Datum value = bound.containsKey(name)
                    ? bound.get(name).value()
                    : parameter
                            .fallback()
                            .map(fallback -> session.expressions().evaluate(fallback, inside))
                            .orElseThrow(() -> missing(layer, name, site));
            Location location = bound.containsKey(name)
                    ? bound.get(name).location()
                    : parameter.name().location();
            Datum accepted = session.guarded(
                    location, 1, instance, () -> ParameterTypes.accepted(name, parameter.type(), value));
            inside.set(name, accepted);
            session.tell(parameter.name().location(), accepted);
        }
        int mark = session.graph().latest();
        session.enter(LEVELS_OF_A_LAYER, site.location);
        try {
            Datum result = session.statements().body(layer.definition(), inside);
            nameResults(result, instance.path(), mark);
            session.tell(site.location, result);
            return result;
        } finally {
            session.leave(LEVELS_OF_A_LAYER);
        }
    }

    private void nameResults(Datum result, String path, int mark) {
        switch (result) {
            case Datum.Tensor tensor -> session.graph().name(tensor.id(), path, mark);
            case Datum.ListValue items -> {
                for (int i = 0; i < items.elements().size(); i++) {
                    nameResults(items.elements().get(i), path + "." + i, mark);
                }
            }
            case Datum other -> {}
        }
    }

    private ElaborationAborted missing(Functions.Layer layer, String name, CallSite site) {
        return session.failure(
                "E0203",
                site.location,
                site.length,
                "'" + layer.name() + "' misses its argument '" + name + "'",
                "it is defined at " + layer.definition().location());
    }

    /** Arguments by the names of the parameters. */
    SequencedMap<String, GivenArgument> bind(
            String callee, List<String> names, List<GivenArgument> given, CallSite site) {
        SequencedMap<String, GivenArgument> bound = new LinkedHashMap<>();
        int position = 0;
        for (GivenArgument argument : given) {
            if (argument.name().isEmpty() && position == names.size()) {
                throw session.failure(
                        "E0203",
                        argument.location(),
                        1,
                        "'" + callee + "' takes " + Count.of(names.size(), "argument") + ", and this is one more");
            }
            String name = argument.label().orElse(position < names.size() ? names.get(position) : "");
            position += argument.name().isEmpty() ? 1 : 0;
            Location location = argument.name().map(Identifier::location).orElse(argument.location());
            if (!names.contains(name)) {
                Diagnostic unknown = Diagnostic.error(
                                "E0203",
                                location,
                                "'" + callee + "' has no argument '" + name + "'",
                                Suggestion.note(name, names).orElse("it takes " + String.join(", ", names)))
                        .underlining(name.length());
                throw new ElaborationAborted(unknown);
            }
            if (bound.put(name, argument) != null) {
                throw session.failure("E0203", location, name.length(), "argument '" + name + "' is given twice");
            }
        }
        return bound;
    }
}
