package dev.remat.compiler.solve;

import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
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
            "format", "problem", "strategy", "budgetBytes", "steps", "peakBytes", "cost", "baselineCost", "overhead",
            "lowerBoundCost", "boundScope", "proven", "floorBytes", "smallestFoundBytes", "seconds");

    private final JsonCursor cursor;
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

    private AnswerReader(JsonCursor cursor, RematProblem problem) {
        this.cursor = cursor;
        for (int n = 0; n < problem.nodeCount(); n++) {
            nodes.put(problem.nodeId(n), n);
        }
    }

    /** @throws dev.remat.ir.diagnostic.ModelException with the place of what is malformed or names no node */
    public static SolveAnswer read(Source source, RematProblem problem) {
        return JsonCursor.read(source, cursor -> new AnswerReader(cursor, problem).answer());
    }

    private SolveAnswer answer() throws IOException {
        Location start = cursor.location();
        cursor.object(this::field);
        if (!formatSeen || !stepsSeen) {
            throw JsonCursor.error(
                    JsonCursor.FIELD, start, "missing field '" + (formatSeen ? "steps" : "format") + "'");
        }
        int[] order = steps.stream().mapToInt(Integer::intValue).toArray();
        return new SolveAnswer(
                problem, new OperatorSequence(strategy, order, List.of()), number("budgetBytes"), number("peakBytes"),
                number("cost"), number("baselineCost"), number("lowerBoundCost"), boundScope, proven,
                number("floorBytes"), number("smallestFoundBytes"), seconds);
    }

    private void field(String field) throws IOException {
        switch (field) {
            case "format" -> {
                cursor.constant(AnswerWriter.FORMAT);
                formatSeen = true;
            }
            case "problem" -> problem = cursor.string();
            case "strategy" -> strategy = cursor.string();
            case "steps" -> {
                cursor.array(() -> steps.add(step()));
                stepsSeen = true;
            }
            case "budgetBytes", "peakBytes", "cost", "baselineCost", "lowerBoundCost", "floorBytes",
                    "smallestFoundBytes" ->
                numbers.put(field, cursor.atNull() ? OptionalLong.empty() : OptionalLong.of(cursor.count()));
            case "overhead" -> cursor.number();
            case "boundScope" -> boundScope = cursor.atNull() ? Optional.empty() : Optional.of(cursor.string());
            case "proven" -> proven = cursor.bool();
            case "seconds" -> seconds = OptionalDouble.of(cursor.number());
            default -> throw cursor.unknownField(field, FIELDS);
        }
    }

    private int step() throws IOException {
        String id = cursor.string();
        Integer node = nodes.get(id);
        if (node == null) {
            List<String> notes = Suggestion.note(id, nodes.keySet()).stream().toList();
            throw cursor.error(JsonCursor.VALUE, "the problem has no node '" + id + "'", notes.toArray(String[]::new));
        }
        return node;
    }

    private OptionalLong number(String field) {
        return numbers.getOrDefault(field, OptionalLong.empty());
    }
}
