package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.Names;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes modules {@code X.0} to {@code X.n-1} that compute the same, some numbers aside, each from what the one before
 * gives, as one layer in a loop.
 */
final class RollRounds {
    private static final Pattern OWNER = Pattern.compile(" as \"?([\\w.]+)\"?");
    private static final int LEAST_SAVED = 4;

    private final Names names;
    private final List<String> outputs;
    private final SequencedMap<String, Integer> depths = new LinkedHashMap<>();
    private List<Statement> statements;

    RollRounds(Names names, List<Statement> statements, List<String> outputs) {
        this.names = names;
        this.statements = statements;
        this.outputs = outputs;
    }

    /** Hyper-parameters that say how often loops run. */
    SequencedMap<String, Integer> depths() {
        return depths;
    }

    List<Statement> run() {
        boolean goesOn = true;
        while (goesOn) {
            Optional<Rounds> best = Optional.empty();
            for (var each : candidates().entrySet()) {
                Optional<Rounds> found = rounds(each.getKey(), each.getValue());
                if (found.isPresent()
                        && found.get().saved() >= LEAST_SAVED
                        && (best.isEmpty() || isBetter(found.get(), best.get()))) {
                    best = found;
                }
            }
            goesOn = best.isPresent();
            if (goesOn) {
                statements = rolled(best.orElseThrow());
            }
        }
        return statements;
    }

    /** What is the same in all rounds comes first: what is inside of others may be. */
    private static boolean isBetter(Rounds rounds, Rounds than) {
        return rounds.isSame() == than.isSame() ? rounds.saved() > than.saved() : rounds.isSame();
    }

    /** Where each numbered module of a prefix begins. */
    private SequencedMap<String, SequencedMap<Integer, Integer>> candidates() {
        SequencedMap<String, SequencedMap<Integer, Integer>> all = new LinkedHashMap<>();
        for (int at = 0; at < statements.size(); at++) {
            Matcher owner = OWNER.matcher(statements.get(at).value().text());
            while (owner.find()) {
                List<String> segments = List.of(owner.group(1).split("\\."));
                for (int i = 1; i < segments.size(); i++) {
                    if (segments.get(i).matches("\\d{1,6}")) {
                        all.computeIfAbsent(String.join(".", segments.subList(0, i)), _ -> new LinkedHashMap<>())
                                .putIfAbsent(Integer.parseInt(segments.get(i)), at);
                    }
                }
            }
        }
        return all;
    }

    private Optional<Rounds> rounds(String prefix, SequencedMap<Integer, Integer> starts) {
        int count = starts.size();
        if (count < 2 || !starts.containsKey(0) || !starts.containsKey(1)) {
            return Optional.empty();
        }
        // What the first module has alone, such as a table that all read, stands before it.
        int length = count > 2 && starts.containsKey(2) ? starts.get(2) - starts.get(1) : starts.get(1) - starts.get(0);
        int first = starts.get(1) - length;
        if (length < 1 || first < starts.get(0)) {
            return Optional.empty();
        }
        for (int i = 1; i < count; i++) {
            if (!starts.containsKey(i) || starts.get(i) != first + i * length) {
                return Optional.empty();
            }
        }
        Optional<Rounds> best = Optional.empty();
        for (int shift = 0; shift < length; shift++) {
            int begin = first - shift;
            if (begin < 0 || begin + count * length > statements.size()) {
                continue;
            }
            Optional<Rounds> found = Rounds.of(
                    statements.subList(begin, begin + count * length),
                    prefix,
                    begin,
                    count,
                    outside(begin, count * length));
            if (found.isPresent()
                    && (best.isEmpty()
                            || found.get().carried().size()
                                    < best.get().carried().size())) {
                best = found;
            }
        }
        return best;
    }

    /** Names that are read elsewhere. */
    private SequencedSet<String> outside(int begin, int length) {
        SequencedSet<String> read = new LinkedHashSet<>(outputs);
        for (int i = 0; i < statements.size(); i++) {
            if (i < begin || i >= begin + length) {
                read.addAll(statements.get(i).value().reads());
            }
        }
        return read;
    }

    private List<Statement> rolled(Rounds rounds) {
        String depth = rounds.isSame() ? names.fresh("depth") : "";
        if (rounds.isSame()) {
            depths.put(depth, rounds.count());
        }
        List<Statement> result = new ArrayList<>(statements.subList(0, rounds.begin()));
        List<String> variables = new ArrayList<>();
        SequencedMap<String, String> renamed = new LinkedHashMap<>();
        for (Rounds.Carried carried : rounds.carried()) {
            String variable = outputs.contains(carried.last()) ? carried.last() : names.fresh("x");
            variables.add(variable);
            renamed.put(carried.last(), variable);
            result.add(new Statement(List.of(variable), Spelling.name(carried.first()), "", false));
        }
        String layer = names.fresh(rounds.layerName());
        List<String> reads = new ArrayList<>(variables);
        reads.addAll(rounds.invariant());
        String block = rounds.text(layer, variables, depth, names);
        result.add(new Statement(variables, new Spelling(block, Spelling.ATOM, reads), "", false).block());
        for (Statement statement :
                statements.subList(rounds.begin() + rounds.length() * rounds.count(), statements.size())) {
            Statement later = statement;
            for (var each : renamed.entrySet()) {
                later = later.renamed(each.getKey(), each.getValue());
            }
            result.add(later);
        }
        return result;
    }
}
