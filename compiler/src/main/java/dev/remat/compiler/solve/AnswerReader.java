package dev.remat.compiler.solve;

import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Reads {@code remat-sequence/1} and {@code remat-sequence/2}; whether the steps are valid and the claims true is for
 * the evaluator to say.
 */
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
            "transfers",
            "lowerBoundCost",
            "boundScope",
            "proven",
            "floorBytes",
            "smallestFoundBytes",
            "seconds");

    private static final List<String> STEP_FIELDS = List.of("store", "tier", "await", "fetch");

    private final JsonCursor json;
    private final String file;
    private final List<String> tiers;
    private final Map<String, Integer> values = new LinkedHashMap<>();
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

    private AnswerReader(String file, JsonCursor json, RematProblem problem) {
        this.file = file;
        this.json = json;
        tiers = problem.tiers().stream().map(Tier::name).toList();
        for (int v = 0; v < problem.valueCount(); v++) {
            values.put(problem.valueId(v), v);
        }
        for (int n = 0; n < problem.nodeCount(); n++) {
            nodes.put(problem.nodeId(n), n);
        }
    }

    /** @throws dev.remat.ir.diagnostic.ModelException with the location of what is malformed or names no node */
    public static SolveAnswer read(Source source, RematProblem problem) {
        return JsonDiagnostics.read(source, json -> new AnswerReader(source.file(), json, problem).answer());
    }

    private SolveAnswer answer() throws IOException {
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
                json.oneOf(List.of(AnswerWriter.FORMAT, AnswerWriter.TIERED_FORMAT));
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
            case "transfers" -> json.skip();
            case "boundScope" -> boundScope = json.takeNull() ? Optional.empty() : Optional.of(json.text());
            case "proven" -> proven = json.flag();
            case "seconds" -> seconds = OptionalDouble.of(json.real());
            default -> throw json.unknownField(field, FIELDS);
        }
    }

    /** A node's name, or an object that tells which value is moved. */
    private int step() throws IOException {
        if (json.atText()) {
            return known("node", nodes);
        }
        Location start = json.location(file);
        Map<String, Integer> move = new LinkedHashMap<>();
        json.beginObject();
        json.fields(field -> {
            switch (field) {
                case "store", "await", "fetch" -> move.put(field, known("value", values));
                case "tier" -> move.put(field, tier());
                default -> throw json.unknownField(field, STEP_FIELDS);
            }
        });
        if (move.size() == 2 && move.containsKey("store") && move.containsKey("tier")) {
            return new SequenceStep.Store(move.get("store"), move.get("tier")).code();
        }
        if (move.size() == 1 && move.containsKey("await")) {
            return new SequenceStep.Await(move.get("await")).code();
        }
        if (move.size() == 1 && move.containsKey("fetch")) {
            return new SequenceStep.Fetch(move.get("fetch")).code();
        }
        throw JsonDiagnostics.field(start, "a step that moves a value is 'store' with 'tier', 'await', or 'fetch'");
    }

    private int known(String kind, Map<String, Integer> names) throws IOException {
        String id = json.text();
        Integer index = names.get(id);
        if (index == null) {
            throw json.corrupt(
                    "the problem has no " + kind + " '" + id + "'",
                    Suggestion.note(id, names.keySet()).stream().toArray(String[]::new));
        }
        return index;
    }

    private int tier() throws IOException {
        String id = json.text();
        if (!tiers.contains(id)) {
            throw json.corrupt("the problem has no tier '" + id + "'");
        }
        return tiers.indexOf(id);
    }

    private OptionalLong number(String field) {
        return numbers.getOrDefault(field, OptionalLong.empty());
    }
}
