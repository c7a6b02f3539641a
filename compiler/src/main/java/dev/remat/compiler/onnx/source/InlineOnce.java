package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.ModuleWeight;
import dev.remat.compiler.onnx.statement.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts values that one statement reads once into it, where that stays short and computes all in the same order. */
final class InlineOnce {
    private static final int MOST_CHARACTERS = 76;

    /** Another call's weight, which has to stand behind that call. */
    private static final Pattern REFERENCE = Pattern.compile("\\bweight = (\\w+)\\.weight\\b");

    private InlineOnce() {}

    /** @param outputs which keep their names */
    static List<Statement> run(List<Statement> statements, List<String> outputs) {
        SequencedMap<String, Integer> reads = new LinkedHashMap<>();
        for (Statement statement : statements) {
            statement.value().reads().forEach(name -> reads.merge(name, statement.occurrences(name), Integer::sum));
        }
        outputs.forEach(name -> reads.merge(name, 2, Integer::sum));
        SequencedSet<String> shared = new LinkedHashSet<>();
        for (Statement statement : statements) {
            Matcher reference = REFERENCE.matcher(statement.value().text());
            while (reference.find()) {
                shared.add(reference.group(1));
            }
        }
        SequencedMap<String, Statement> waiting = new LinkedHashMap<>();
        List<Statement> result = new ArrayList<>();
        for (Statement statement : statements) {
            if (statement.isBlock()) {
                // A loop binds its names again.
                waiting.values()
                        .removeIf(maker -> maker.value().reads().stream().anyMatch(statement.names()::contains));
            }
            Statement written = statement;
            for (String name : statement.isBlock()
                    ? List.<String>of()
                    : statement.value().reads().reversed()) {
                Statement maker = waiting.get(name);
                // What is computed first stays first.
                if (maker != null && maker.equals(result.getLast())) {
                    Statement joined = written.reading(name, maker.value());
                    if (joined.value().text().length() <= MOST_CHARACTERS) {
                        written = joined;
                        waiting.remove(name);
                        result.removeLast();
                    }
                }
            }
            result.add(written);
            String name = written.names().getFirst();
            boolean mayMove = !written.isBlock()
                    && written.names().size() == 1
                    && reads.getOrDefault(name, 0) == 1
                    && !ModuleWeight.isOne(written.value())
                    && shared.stream().noneMatch(written::isOf);
            if (mayMove) {
                waiting.put(name, written);
            }
        }
        return result;
    }
}
