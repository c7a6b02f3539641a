package dev.remat.tests.conventions;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The switches of a source that choose by type, as far as its text tells. */
final class PatternSwitches {
    /** One switch: the line it begins in, the simple names of the types among its labels, and if it has a default. */
    record Found(int line, Set<String> types, boolean hasDefault) {
        /** Whether a case that is added to a sealed type would go unnoticed. */
        boolean swallows(Set<String> casesOfSealedTypes) {
            return hasDefault && types.stream().anyMatch(casesOfSealedTypes::contains);
        }
    }

    private static final Pattern SILENT =
            Pattern.compile("//.*|(?s:/\\*.*?\\*/|\"\"\".*?\"\"\")|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'");
    private static final Pattern STEP =
            Pattern.compile("\\bswitch\\s*(?=\\()|\\bcase\\b([^;{}]*?)->|\\bdefault\\s*->|[{}\n]");
    /** A type followed by a name or by parentheses. */
    private static final Pattern TYPE =
            Pattern.compile("(?<![\\w.(])(?:\\w+\\.)*([A-Z]\\w*+)(?:<[^()]*>)?(?=\\s*\\(|\\s+[a-z_])");

    private static final Pattern SEALED = Pattern.compile("\\bsealed\\b[^;{]*?\\b(?:interface|class)\\s+(\\w+)");
    private static final Pattern HEAD = Pattern.compile("\\b(?:record|class|interface|enum)\\s+(\\w+)([^{;]*)\\{");
    private static final Pattern SUPERTYPES = Pattern.compile("\\b(?:implements|extends)\\b(.*)", Pattern.DOTALL);

    private PatternSwitches() {}

    /** Simple names of all types that are a case of a sealed type. */
    static Set<String> casesOfSealedTypes(List<String> sources) {
        List<String> texts = sources.stream().map(PatternSwitches::audible).toList();
        Set<String> roots = texts.stream()
                .flatMap(text -> SEALED.matcher(text).results())
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> cases = new TreeSet<>();
        for (String text : texts) {
            for (Matcher head = HEAD.matcher(text); head.find(); ) {
                Matcher supertypes = SUPERTYPES.matcher(head.group(2));
                if (supertypes.find()
                        && Pattern.compile("\\W+")
                                .splitAsStream(supertypes.group(1))
                                .anyMatch(roots::contains)) {
                    cases.add(head.group(1));
                }
            }
        }
        return cases;
    }

    /** Those of one source, in the order of their ends. */
    static List<Found> in(String source) {
        record Open(int line, int depth, Set<String> types, boolean[] hasDefault) {}

        List<Found> found = new ArrayList<>();
        Deque<Open> open = new ArrayDeque<>();
        int line = 1;
        int depth = 0;
        String text = audible(source);
        for (Matcher step = STEP.matcher(text); step.find(); ) {
            String token = step.group();
            if (token.equals("\n")) {
                line++;
            } else if (token.equals("{")) {
                depth++;
            } else if (token.equals("}")) {
                if (!open.isEmpty() && open.peek().depth == depth) {
                    Open ended = open.pop();
                    found.add(new Found(ended.line, ended.types, ended.hasDefault[0]));
                }
                depth--;
            } else if (token.startsWith("switch")) {
                open.push(new Open(line, depth + 1, new TreeSet<>(), new boolean[1]));
            } else if (token.startsWith("default")) {
                open.peek().hasDefault[0] = true;
            } else {
                line += (int) token.chars().filter(c -> c == '\n').count();
                String label = step.group(1).replaceFirst("\\bwhen\\b(?s:.*)", "");
                TYPE.matcher(label).results().forEach(type -> open.peek().types.add(type.group(1)));
                open.peek().hasDefault[0] |= label.contains("default");
            }
        }
        return found;
    }

    /** The text without comments, strings and characters, in as many lines. */
    private static String audible(String source) {
        return SILENT.matcher(source)
                .replaceAll(match -> "\n".repeat((int)
                        match.group().chars().filter(c -> c == '\n').count()));
    }
}
