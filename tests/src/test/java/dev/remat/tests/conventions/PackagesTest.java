package dev.remat.tests.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.conventions.SourceTree.SourceFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Packages are of a size one can see, and can be understood one after another. */
class PackagesTest {
    private static final int MOST_TYPES = 30;
    /** One record an operation, each found by its name. */
    private static final String OPERATIONS = "dev.remat.ir.op";

    private static final String FOLDER = "/src/main/java/";
    /** A type by its full name, also where only Javadoc links to it. */
    private static final Pattern NAMED = Pattern.compile("\\b(dev\\.remat(?:\\.[a-z]\\w*)*)\\.[A-Z*]");

    @Test
    void packagesAreSmallEnoughToSee() {
        assertThat(large(SourceTree.javaFiles())).isEmpty();
    }

    @Test
    void noPackagesOfAModuleNeedEachOther() {
        assertThat(cycles(SourceTree.javaFiles())).isEmpty();
    }

    /** The rules above find what they are for. */
    @Test
    void theRulesCanFail() {
        List<SourceFile> many = IntStream.rangeClosed(0, MOST_TYPES)
                .mapToObj(i -> source("ir", "dev/remat/ir/T" + i))
                .toList();
        assertThat(large(many)).containsExactly("dev.remat.ir has 31 types");
        assertThat(large(many.subList(1, many.size()))).isEmpty();

        SourceFile down = source("ir", "dev/remat/ir/a/A", "import dev.remat.ir.b.B;");
        SourceFile level = source("ir", "dev/remat/ir/b/B", "/** Beside {@link dev.remat.ir.b.C}. */");
        SourceFile up = source("ir", "dev/remat/ir/b/C", "/** For {@link dev.remat.ir.a.A#run}. */");
        SourceFile apart = source("compiler", "dev/remat/ir/b/D", "import dev.remat.ir.a.A;");
        assertThat(cycles(List.of(down, level, up)))
                .containsExactly("dev.remat.ir.a needs dev.remat.ir.b in A, dev.remat.ir.b needs dev.remat.ir.a in C");
        assertThat(cycles(List.of(down, level, apart))).isEmpty();
    }

    private static SourceFile source(String module, String type, String... lines) {
        return new SourceFile(module + FOLDER + type + ".java", List.of(lines));
    }

    private static boolean isType(SourceFile file) {
        return file.path().contains(FOLDER + "dev/") && !file.simpleName().equals("package-info");
    }

    private static String packageOf(SourceFile file) {
        int from = file.path().indexOf(FOLDER) + FOLDER.length();
        return file.path().substring(from, file.path().lastIndexOf('/')).replace('/', '.');
    }

    private static List<String> large(List<SourceFile> files) {
        return files.stream()
                .filter(PackagesTest::isType)
                .collect(Collectors.groupingBy(PackagesTest::packageOf, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .filter(each -> each.getValue() > MOST_TYPES && !each.getKey().equals(OPERATIONS))
                .map(each -> each.getKey() + " has " + each.getValue() + " types")
                .toList();
    }

    /** For each package that needs itself by others of its module, a shortest way around; each way once. */
    private static List<String> cycles(List<SourceFile> files) {
        List<String> cycles = new ArrayList<>();
        for (String module : SourceTree.MODULES) {
            SortedMap<String, SequencedMap<String, String>> needs = needs(files, module);
            for (String each : needs.keySet()) {
                List<String> around = wayBack(each, needs);
                // Told once, of the package whose name comes first.
                if (!around.isEmpty() && around.stream().noneMatch(other -> other.compareTo(each) < 0)) {
                    cycles.add(words(around, needs));
                }
            }
        }
        return cycles;
    }

    /** By package the packages of the module that it names, each with the first file that does. */
    private static SortedMap<String, SequencedMap<String, String>> needs(List<SourceFile> files, String module) {
        SortedMap<String, SequencedMap<String, String>> needs = new TreeMap<>();
        for (SourceFile file : files) {
            if (file.module().equals(module) && file.path().contains(FOLDER + "dev/")) {
                Map<String, String> named = needs.computeIfAbsent(packageOf(file), each -> new TreeMap<>());
                for (String line : file.lines()) {
                    for (Matcher name = NAMED.matcher(line); name.find(); ) {
                        named.putIfAbsent(name.group(1), file.simpleName());
                    }
                }
            }
        }
        needs.forEach((each, named) -> named.remove(each));
        needs.values().forEach(named -> named.keySet().retainAll(needs.keySet()));
        return needs;
    }

    /** The packages on a shortest way from {@code start} to itself, {@code start} first; empty if there is none. */
    private static List<String> wayBack(String start, Map<String, SequencedMap<String, String>> needs) {
        Map<String, List<String>> ways = new TreeMap<>(Map.of(start, List.of(start)));
        Deque<String> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            String at = open.remove();
            for (String next : needs.get(at).keySet()) {
                if (next.equals(start)) {
                    return ways.get(at);
                }
                if (!ways.containsKey(next)) {
                    List<String> way = new ArrayList<>(ways.get(at));
                    way.add(next);
                    ways.put(next, way);
                    open.add(next);
                }
            }
        }
        return List.of();
    }

    private static String words(List<String> around, Map<String, SequencedMap<String, String>> needs) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < around.size(); i++) {
            String from = around.get(i);
            String to = around.get((i + 1) % around.size());
            words.add(from + " needs " + to + " in " + needs.get(from).get(to));
        }
        return String.join(", ", words);
    }
}
