package dev.remat.compiler.solve;

import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads {@code remat-sequence/1}; whether the steps are valid and the claims true is for the evaluator to say. */
public final class AnswerReader {
    private static final List<String> FIELDS = List.of(
            "format",
            "problem",
            "strategy",
            "budgetBytes",
            "steps",
            "peakBytes",
            "cost",
            "baselineCost",
            "overhead",
            "lowerBoundCost",
            "boundScope",
            "proven",
            "floorBytes",
            "smallestFoundBytes",
            "seconds");

    private final JsonCursor json;
    private final Map<String, Integer> nodes = new LinkedHashMap<>();
    private final Map<String, OptionalLong> numbers = new LinkedHashMap<>();
    private final List<Integer> steps = new ArrayList<>();
    private boolean formatSeen;
    private boolean stepsSeen;
    private String problem = "problem";
    private String strategy = "unknown";
    private Optional<String> boundScope = Optional.empty();
    private boolean proven;
    private OptionalDouble seconds = OptionalDouble.empty();

    private AnswerReader(JsonCursor json, RematProblem problem) {
        this.json = json;
        for (int n = 0; n < problem.nodeCount(); n++) {
            nodes.put(problem.nodeId(n), n);
        }
    }

    /** @throws dev.remat.ir.diagnostic.ModelException with the location of what is malformed or names no node */
    public static SolveAnswer read(Source source, RematProblem problem) {
        return JsonDiagnostics.read(source, json -> new AnswerReader(json, problem).answer(source.file()));
    }

    private SolveAnswer answer(String file) throws IOException {
        Location start = json.location(file);
        json.beginObject();
        json.fields(this::field);
        if (!formatSeen || !stepsSeen) {
            throw JsonDiagnostics.field(start, "missing field '" + (formatSeen ? "steps" : "format") + "'");
        }
        int[] order = steps.stream().mapToInt(Integer::intValue).toArray();
        return new SolveAnswer(
                problem,
                new OperatorSequence(strategy, order, List.of()),
                number("budgetBytes"),
                number("peakBytes"),
                number("cost"),
                number("baselineCost"),
                number("lowerBoundCost"),
                boundScope,
                proven,
                number("floorBytes"),
                number("smallestFoundBytes"),
                seconds);
    }

    private void field(String field) throws IOException {
        switch (field) {
            case "format" -> {
                json.constant(AnswerWriter.FORMAT);
                formatSeen = true;
            }
            case "problem" -> problem = json.text();
            case "strategy" -> strategy = json.text();
            case "steps" -> {
                steps.addAll(json.list(this::step));
                stepsSeen = true;
            }
            case "budgetBytes",
                    "peakBytes",
                    "cost",
                    "baselineCost",
                    "lowerBoundCost",
                    "floorBytes",
                    "smallestFoundBytes" ->
                numbers.put(field, json.takeNull() ? OptionalLong.empty() : OptionalLong.of(json.unsigned()));
            case "overhead" -> json.real();
            case "boundScope" -> boundScope = json.takeNull() ? Optional.empty() : Optional.of(json.text());
            case "proven" -> proven = json.flag();
            case "seconds" -> seconds = OptionalDouble.of(json.real());
            default -> throw json.unknownField(field, FIELDS);
        }
    }

    private int step() throws IOException {
        String id = json.text();
        Integer node = nodes.get(id);
        if (node == null) {
            throw json.corrupt(
                    "the problem has no node '" + id + "'",
                    Suggestion.note(id, nodes.keySet()).stream().toArray(String[]::new));
        }
        return node;
    }

    private OptionalLong number(String field) {
        return numbers.getOrDefault(field, OptionalLong.empty());
    }
}
