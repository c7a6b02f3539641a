package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.ModuleWeight;
import dev.remat.compiler.onnx.statement.Names;
import dev.remat.compiler.onnx.statement.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs of statements that are the same but for what they are called, and for some numbers.
 *
 * @param prefix of the modules, without their numbers
 * @param begin of the first round among all statements
 * @param length of a round
 * @param body of the first round
 * @param carried values that a round gives to the next
 * @param invariant names of values that all rounds read
 * @param varying numbers that are others in other rounds, instead of which the body has their {@link Varying#sign}s
 */
record Rounds(
        String prefix,
        int begin,
        int length,
        int count,
        List<Statement> body,
        List<Carried> carried,
        List<String> invariant,
        List<Varying> varying) {
    private static final String NUMBER = "(?<![\\w.])\\d[\\w.]*(?:(?<=[eE])[+-]\\d+)?";
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|" + NUMBER + "|[A-Za-z_]\\w*(?!\\w*\\s*=[^=])");
    private static final Pattern ARGUMENT = Pattern.compile("(\\w+)\\s*=\\s*\\(?$");
    private static final int MOST_VARYING = 4;

    /**
     * A value that goes from round to round.
     *
     * @param first what the first round begins with
     * @param inRound what the first round gives
     * @param last what the last round gives
     */
    record Carried(String first, String inRound, String last) {}

    /**
     * A number for each round.
     *
     * @param place among those that vary
     * @param hint what it may be called
     */
    record Varying(int place, String hint, List<String> numbers) {
        /** What stands for it until it has a name. */
        String sign() {
            return "#" + place + "#";
        }
    }

    /** A token of a statement, in every round. */
    private record Place(int statement, int token) {}

    boolean isSame() {
        return varying.isEmpty();
    }

    int saved() {
        return (count - 1) * length - 4 - carried.size() - (isSame() ? 0 : 1);
    }

    /** Empty if the rounds are not the same, or somebody else reads what only one of them gives. */
    static Optional<Rounds> of(List<Statement> all, String prefix, int begin, int count, Set<String> readElsewhere) {
        int length = all.size() / count;
        List<SequencedMap<String, Integer>> defined = new ArrayList<>();
        for (int round = 0; round < count; round++) {
            SequencedMap<String, Integer> names = new LinkedHashMap<>();
            for (Statement statement : all.subList(round * length, (round + 1) * length)) {
                statement.names().stream()
                        .filter(name -> !name.equals("_"))
                        .forEach(name -> names.put(name, names.size()));
            }
            defined.add(names);
        }
        SequencedMap<Integer, String> initial = new LinkedHashMap<>();
        SequencedSet<String> invariant = new LinkedHashSet<>();
        SequencedSet<Place> places = new LinkedHashSet<>();
        for (int at = 0; at < length; at++) {
            Statement first = all.get(at);
            for (int round = 1; round < count; round++) {
                Statement other = all.get(round * length + at);
                Optional<List<Integer>> others = differences(first, other, prefix, round, defined, initial, invariant);
                if (others.isEmpty() || !others.get().isEmpty() && ModuleWeight.isOne(first.value())) {
                    return Optional.empty();
                }
                int statement = at;
                others.get().forEach(token -> places.add(new Place(statement, token)));
            }
        }
        SequencedMap<List<String>, Varying> varying = new LinkedHashMap<>();
        List<Statement> body = withSigns(all, count, places, varying);
        List<Carried> carried = new ArrayList<>();
        List<String> ofFirst = List.copyOf(defined.getFirst().sequencedKeySet());
        List<String> ofLast = List.copyOf(defined.getLast().sequencedKeySet());
        initial.forEach((place, name) -> carried.add(new Carried(name, ofFirst.get(place), ofLast.get(place))));
        for (int round = 0; round < count; round++) {
            for (var each : defined.get(round).entrySet()) {
                boolean mayBeRead = round == count - 1 && initial.containsKey(each.getValue());
                if (readElsewhere.contains(each.getKey()) && !mayBeRead) {
                    return Optional.empty();
                }
            }
        }
        return carried.isEmpty()
                        || varying.size() > MOST_VARYING
                        || carried.stream().map(Carried::first).anyMatch(invariant::contains)
                ? Optional.empty()
                : Optional.of(new Rounds(
                        prefix,
                        begin,
                        length,
                        count,
                        body,
                        carried,
                        List.copyOf(invariant),
                        List.copyOf(varying.values())));
    }

    /** The first round, with signs for the numbers that are others in other rounds; the same numbers have one. */
    private static List<Statement> withSigns(
            List<Statement> all, int count, SequencedSet<Place> places, SequencedMap<List<String>, Varying> varying) {
        int length = all.size() / count;
        List<Statement> body = new ArrayList<>();
        for (int at = 0; at < length; at++) {
            List<String> tokens = tokens(all.get(at).value().text());
            for (Place place : places) {
                if (place.statement() == at) {
                    List<String> numbers = new ArrayList<>();
                    for (int round = 0; round < count; round++) {
                        Statement other = all.get(round * length + at);
                        numbers.add(tokens(other.value().text()).get(place.token()));
                    }
                    Matcher argument = ARGUMENT.matcher(tokens.get(place.token() - 1));
                    String hint = argument.find() ? argument.group(1) : "width";
                    tokens.set(
                            place.token(),
                            varying.computeIfAbsent(numbers, _ -> new Varying(varying.size(), hint, numbers))
                                    .sign());
                }
            }
            body.add(all.get(at).withValue(String.join("", tokens)));
        }
        return body;
    }

    /** Places of tokens that are other numbers; empty if anything else is otherwise. */
    private static Optional<List<Integer>> differences(
            Statement first,
            Statement other,
            String prefix,
            int round,
            List<SequencedMap<String, Integer>> defined,
            SequencedMap<Integer, String> initial,
            SequencedSet<String> invariant) {
        if (first.names().size() != other.names().size() || first.isBlock() || other.isBlock()) {
            return Optional.empty();
        }
        for (int i = 0; i < first.names().size(); i++) {
            if (first.names().get(i).equals("_") != other.names().get(i).equals("_")) {
                return Optional.empty();
            }
        }
        List<Integer> numbers = new ArrayList<>();
        List<String> a = tokens(first.value().text());
        List<String> b = tokens(other.value().text());
        if (a.size() != b.size()) {
            return Optional.empty();
        }
        for (int i = 0; i < a.size(); i++) {
            String one = a.get(i);
            String two = b.get(i);
            Integer inFirst = defined.getFirst().get(one);
            Integer inOther = defined.get(round).get(two);
            Integer before = defined.get(round - 1).get(two);
            if (inFirst != null || inOther != null) {
                if (inFirst == null || !inFirst.equals(inOther)) {
                    return Optional.empty();
                }
            } else if (before != null && other.value().reads().contains(two)) {
                String known = initial.putIfAbsent(before, one);
                if (known != null && !known.equals(one)
                        || !first.value().reads().contains(one)) {
                    return Optional.empty();
                }
            } else if (isNumber(one) && isNumber(two) && !one.equals(two)) {
                numbers.add(i);
            } else if (!withoutNumber(one, prefix, 0).equals(withoutNumber(two, prefix, round))) {
                return Optional.empty();
            } else if (first.value().reads().contains(one)) {
                invariant.add(one);
            }
        }
        return Optional.of(numbers);
    }

    private static boolean isNumber(String token) {
        return token.matches(NUMBER);
    }

    /** Words, texts in quotes, numbers, and what is between. */
    private static List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        Matcher word = WORD.matcher(text);
        int at = 0;
        while (word.find()) {
            tokens.add(text.substring(at, word.start()));
            tokens.add(word.group());
            at = word.end();
        }
        tokens.add(text.substring(at));
        return tokens;
    }

    private static String withoutNumber(String token, String prefix, int round) {
        String quoted = "\"" + prefix + "." + round;
        if (token.equals(quoted + "\"")) {
            return "\"" + prefix + "\"";
        }
        return token.startsWith(quoted + ".") ? "\"" + token.substring(quoted.length() + 1) : token;
    }

    /** Whether each round is one layer that is called as the round is. */
    private boolean isAlone() {
        return body.stream().anyMatch(statement -> statement.value().text().contains("\"" + prefix + ".0\""));
    }

    /** What the layer of a round may be called. */
    String layerName() {
        String last = prefix.substring(prefix.lastIndexOf('.') + 1).replaceFirst("s$", "");
        String name = last.replaceAll("[^A-Za-z]", "");
        return name.length() < 3 || name.toLowerCase(Locale.ROOT).equals("layer")
                ? "Block"
                : name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    /**
     * The layer and its loop.
     *
     * @param depth how often it runs, where all rounds are the same
     */
    String text(String layer, List<String> variables, String depth, Names names) {
        List<String> parameters = new ArrayList<>();
        for (int i = 0; i < carried.size(); i++) {
            String usual = carried.size() == 1 ? "x" : "x" + i;
            parameters.add(isAlone() ? variables.get(i) : invariant.contains(usual) ? names.fresh("x") : usual);
        }
        List<String> numbers =
                varying.stream().map(each -> names.fresh(each.hint())).toList();
        List<String> layers = new ArrayList<>();
        List<String> lines = ModuleWeight.declare(lines(parameters), layers, names);
        StringBuilder text = new StringBuilder(String.join("", layers));
        String given = carried.stream().map(Carried::inRound).collect(Collectors.joining(", "));
        if (!isAlone()) {
            text.append("layer ")
                    .append(layer)
                    .append("(")
                    .append(joined(parameters, numbers))
                    .append(") {\n");
            lines.forEach(line -> text.append(line).append("\n"));
            text.append("return ").append(given).append("\n}\n");
        }
        text.append(isSame() ? "repeat " + depth : loop(numbers)).append(" {\n");
        String all = String.join(", ", variables);
        if (isAlone()) {
            lines.forEach(line -> text.append(line).append("\n"));
            text.append(all).append(" = ").append(given).append("\n");
        } else {
            text.append(all + " = " + layer + "(" + joined(variables, numbers) + ") as \"" + prefix + "\"\n");
        }
        String signed = text.append("}").toString();
        for (Varying each : varying) {
            signed = signed.replace(each.sign(), numbers.get(each.place()));
        }
        return signed;
    }

    private static String joined(List<String> first, List<String> then) {
        return Stream.concat(first.stream(), then.stream()).collect(Collectors.joining(", "));
    }

    /** {@code for (width, stride) in [(16, 1), (32, 2)]}. */
    private String loop(List<String> numbers) {
        String rounds = IntStream.range(0, count)
                .mapToObj(round -> tuple(
                        varying.stream().map(each -> each.numbers().get(round)).toList()))
                .collect(Collectors.joining(", ", "[", "]"));
        return "for " + tuple(numbers) + " in " + rounds;
    }

    private static String tuple(List<String> elements) {
        return elements.size() == 1 ? elements.getFirst() : "(" + String.join(", ", elements) + ")";
    }

    private List<String> lines(List<String> parameters) {
        List<String> given = carried.stream().map(Carried::inRound).toList();
        List<String> lines = new ArrayList<>();
        for (Statement statement : InlineOnce.run(body, given)) {
            Statement line = statement;
            for (int i = 0; i < carried.size(); i++) {
                line = line.renamed(carried.get(i).first(), parameters.get(i));
            }
            lines.add(line.text()
                    .replaceAll("\"" + Pattern.quote(prefix) + "\\.0\\.", "\"")
                    .replace("\"" + prefix + ".0\"", "\"" + prefix + "\""));
        }
        return lines;
    }
}
