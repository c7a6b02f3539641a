package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.training.ParameterPattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads patterns of parameter names, each of which must match one of the model's. */
final class ParameterPatterns {
    private static final int MOST_SHOWN = 6;

    private final Session session;
    private final SettingReader reader;
    private final List<String> parameters;

    /** @param parameters names of all parameters of the model */
    ParameterPatterns(Session session, SettingReader reader, List<String> parameters) {
        this.session = session;
        this.reader = reader;
        this.parameters = List.copyOf(parameters);
    }

    /** Names of all parameters of the model. */
    List<String> parameters() {
        return parameters;
    }

    /** One string or several. */
    List<ParameterPattern> read(Setting setting) {
        Expression whole = SettingReader.expression(setting);
        List<Expression> parts = whole instanceof Expression.TupleLiteral tuple ? tuple.elements() : List.of(whole);
        List<Datum> values = reader.value(setting) instanceof Datum.ListValue list
                ? list.elements()
                : List.of(reader.value(setting));
        List<ParameterPattern> patterns = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Expression part = parts.size() == values.size() ? parts.get(i) : whole;
            patterns.add(pattern(part, values.get(i)));
        }
        return patterns;
    }

    private ParameterPattern pattern(Expression expression, Datum value) {
        if (!(value instanceof Datum.StringValue text)) {
            throw reader.failure(
                    expression,
                    "parameters are given by a string, not " + value.kind(),
                    "such as \"*.bias\", where * stands for any characters");
        }
        ParameterPattern pattern = new ParameterPattern(text.value());
        if (parameters.stream().noneMatch(pattern::matches)) {
            throw session.failure(
                    "E0405",
                    expression.location(),
                    Span.of(expression),
                    "no parameter is called '" + pattern + "'",
                    Suggestion.note(pattern.text(), candidates()).orElseGet(this::known));
        }
        return pattern;
    }

    /** Names, and patterns for all that a layer owns. */
    private Set<String> candidates() {
        Set<String> candidates = new LinkedHashSet<>(parameters);
        for (String name : parameters) {
            for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
                candidates.add(name.substring(0, dot + 1) + "*");
            }
            candidates.add("*" + name.substring(Math.max(0, name.lastIndexOf('.'))));
        }
        return candidates;
    }

    private String known() {
        if (parameters.isEmpty()) {
            return "the model has no parameters";
        }
        String shown = String.join(", ", parameters.subList(0, Math.min(MOST_SHOWN, parameters.size())));
        return "there are " + shown + (parameters.size() > MOST_SHOWN ? " and others" : "");
    }
}
