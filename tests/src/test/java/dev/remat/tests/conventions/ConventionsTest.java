package dev.remat.tests.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.conventions.SourceTree.SourceFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What we agreed on and javac does not check. */
class ConventionsTest {
    private static final int MAX_LINES = 400;
    private static final int MAX_COLUMNS = 120;

    /** Packages of other modules that a module may name. */
    private static final Map<String, Pattern> FOREIGN = foreign();

    private static Map<String, Pattern> foreign() {
        Map<String, Pattern> foreign = new LinkedHashMap<>();
        foreign.put("ir", Pattern.compile("dev\\.remat\\.(compiler|codegen|runtime|cli)\\b"));
        foreign.put("compiler", Pattern.compile("dev\\.remat\\.(codegen|runtime|cli)\\b"));
        foreign.put("codegen-cuda", Pattern.compile("dev\\.remat\\.(compiler|runtime|cli)\\b"));
        foreign.put("runtime", Pattern.compile("dev\\.remat\\.(compiler|codegen|cli)\\b"));
        return foreign;
    }

    private static final Pattern UNORDERED = Pattern.compile(
            "\\b(new (HashMap|HashSet|IdentityHashMap)\\b|Set\\.of\\(|Set\\.copyOf|Map\\.of\\(|Map\\.copyOf|Map\\.entry"
                    + "|Collectors\\.(toSet|toMap|groupingBy)\\b)");
    private static final Pattern CHANCE =
            Pattern.compile("System\\.(currentTimeMillis|nanoTime)|Math\\.random|new Random\\(\\)|Instant\\.now");
    private static final Pattern PROMISE =
            Pattern.compile("TODO|FIXME|XXX|HACK|[nN]ot (yet )?implemented|UnsupportedOperationException");
    private static final Pattern HIDDEN =
            Pattern.compile("@Disabled|assertTrue\\(true\\)|catch \\((Exception|Throwable) \\w+\\) *\\{ *\\}");
    private static final Pattern VAGUE = Pattern.compile(".*(Manager|Utils?|Helper|Impl)");
    private static final Pattern REFLECTION =
            Pattern.compile("java\\.lang\\.reflect|Class\\.forName|ServiceLoader|setAccessible");
    private static final Pattern ELABORATING =
            Pattern.compile("(Function|Supplier|Callable|Operator)<[^()]*\\bElaboratedModel>");
    private static final Pattern UNSAFE_LANES =
            Pattern.compile("VectorOperators\\.(SIN|COS|TAN|ASIN|ACOS|ATAN|ATAN2|SINH|COSH|TANH"
                    + "|EXP|EXPM1|LOG|LOG10|LOG1P|POW|CBRT|HYPOT)"
                    + "\\b|reduceLanes(ToLong)?\\(VectorOperators\\.(ADD|MUL)");

    /** Ways to write that follow a link, and empty what it leads to. */
    private static final Pattern FOLLOWING = Pattern.compile("TRUNCATE_EXISTING"
            + "|\\bFiles\\.(write|writeString|newBufferedWriter|newOutputStream)\\(|\\bnew FileWriter\\("
            + "|\\bnew FileOutputStream\\((?!FileDescriptor)");

    @Test
    void modulesFormAStar() {
        expectNone(
                "a module names a package of another that it must not know",
                file -> !file.isTest() && !file.simpleName().equals("module-info"),
                (file, line) -> FOREIGN.containsKey(file.module())
                        && FOREIGN.get(file.module()).matcher(line).find());
    }

    @Test
    void theCompilerDependsOnNoHashOrder() {
        expectNone(
                "order depends on hashes",
                ConventionsTest::mustBeDeterministic,
                (file, line) -> UNORDERED.matcher(line).find());
    }

    @Test
    void theCompilerDependsOnNoClockAndNoChance() {
        expectNone(
                "time or chance in the compiler",
                file -> mustBeDeterministic(file) && !file.simpleName().equals("StageRunner"),
                (file, line) -> CHANCE.matcher(line).find());
    }

    @Test
    void noSourcePromisesWhatItDoesNotDo() {
        expectNone(
                "a promise instead of code",
                file -> !file.isTest(),
                (file, line) -> PROMISE.matcher(line).find());
    }

    @Test
    void noTestIsDisabledOrHidesFailures() {
        expectNone(
                "a test that cannot fail",
                file -> file.isTest() && !file.path().contains("/conventions/"),
                (file, line) -> HIDDEN.matcher(line).find());
    }

    /** An engine comes in jars that are not there when this is compiled. */
    @Test
    void nothingIsFoundByReflection() {
        expectNone(
                "reflection",
                file -> !file.isTest() && !file.simpleName().equals("LoadEngine"),
                (file, line) -> REFLECTION.matcher(line).find());
    }

    @Test
    void onlyASessionElaboratesAgain() {
        expectNone(
                "a function that elaborates",
                file -> !file.path().contains("/compiler/model/")
                        && !file.path().contains("/conventions/"),
                (file, line) -> ELABORATING.matcher(line).find());
    }

    /** A rehearsal writes to a file that it has made, and so does who renews libraries. */
    @Test
    void nothingWritesOverWhatALinkLeadsTo() {
        expectNone(
                "a way to write that follows links",
                file -> !file.isTest()
                        && !List.of("Rehearsal", "NewerClassFiles").contains(file.simpleName()),
                (file, line) -> FOLLOWING.matcher(line).find());
    }

    @Test
    void vectorLanesKeepTheirBits() {
        expectNone(
                "a vector operation whose bits depend on the compiler",
                file -> !file.path().contains("/conventions/"),
                (file, line) -> UNSAFE_LANES.matcher(line).find());
    }

    @Test
    void switchesOverSealedTypesNameEveryCase() {
        List<SourceFile> main =
                SourceTree.javaFiles().stream().filter(file -> !file.isTest()).toList();
        Set<String> cases = PatternSwitches.casesOfSealedTypes(
                main.stream().map(SourceFile::text).toList());
        assertThat(cases).contains("Elementwise", "Cast", "FromMemory");
        assertThat(main)
                .flatExtracting(file -> PatternSwitches.in(file.text()).stream()
                        .filter(found -> found.swallows(cases))
                        .map(found -> file.path() + ":" + found.line() + " has a default beside " + found.types())
                        .toList())
                .isEmpty();
    }

    @Test
    void filesAreShortEnoughToRead() {
        assertThat(SourceTree.javaFiles())
                .filteredOn(file -> file.lines().size() > MAX_LINES)
                .extracting(file -> file.path() + " has " + file.lines().size() + " lines")
                .isEmpty();
    }

    @Test
    void linesFitTheScreen() {
        expectNone("a long line", file -> true, (file, line) -> line.length() > MAX_COLUMNS);
    }

    @Test
    void namesSayWhatAThingIs() {
        assertThat(SourceTree.javaFiles())
                .filteredOn(file -> VAGUE.matcher(file.simpleName()).matches())
                .extracting(SourceFile::path)
                .isEmpty();
    }

    @Test
    void everyPackageSaysWhatItHolds() {
        List<SourceFile> main =
                SourceTree.javaFiles().stream().filter(file -> !file.isTest()).toList();
        List<String> described = main.stream()
                .filter(file -> file.simpleName().equals("package-info"))
                .map(file -> file.path().substring(0, file.path().lastIndexOf('/')))
                .toList();
        List<String> silent = main.stream()
                .filter(file -> file.path().contains("/dev/"))
                .map(file -> file.path().substring(0, file.path().lastIndexOf('/')))
                .filter(folder -> !described.contains(folder))
                .distinct()
                .toList();
        assertThat(silent).isEmpty();
    }

    /** The rules above find what they are for. */
    @Test
    void theRulesCanFail() {
        assertThat("new HashMap<>()").containsPattern(UNORDERED);
        assertThat("new LinkedHashMap<>()").doesNotContainPattern(UNORDERED);
        assertThat("System.nanoTime()").containsPattern(CHANCE);
        assertThat("// TODO later").containsPattern(PROMISE);
        assertThat("catch (Exception e) { }").containsPattern(HIDDEN);
        assertThat("Function<Bindings, ElaboratedModel> again").containsPattern(ELABORATING);
        assertThat("Function<ElaboratedModel, Graph> body").doesNotContainPattern(ELABORATING);
        assertThat("Files.writeString(file, text)").containsPattern(FOLLOWING);
        assertThat("AtomicFile.writeOwn(file, text)").doesNotContainPattern(FOLLOWING);
        assertThat("lanewise(VectorOperators.EXP)").containsPattern(UNSAFE_LANES);
        assertThat("lanewise(VectorOperators.FMA)").doesNotContainPattern(UNSAFE_LANES);
    }

    @Test
    void theRuleOnSwitchesCanFail() {
        Set<String> cases = PatternSwitches.casesOfSealedTypes(List.of("""
            sealed interface Op permits View, Sum {}
            sealed interface View extends Op {
                record Slice(int at) implements View {}
            }
            record Sum(int axis) implements Other<Integer>, Op {}
            record Odd(int axis) implements Other<Integer> {}
            """));
        assertThat(cases).containsExactly("Slice", "Sum", "View");
        assertThat(PatternSwitches.in("""
            int a = switch (f(op)) { // switch (
                case Sum s when s.axis() > 0 -> { yield 1; }
                default -> switch (other) {
                    case Odd o -> "case Sum s ->".length();
                    default -> 0;
                };
            };
            switch (op) {
                case View.Slice(int at), Odd _ -> {}
                case null, default -> {}
            }
            int b = switch (op) {
                case View _, Sum _ -> switch (kind) {
                    case Sums.ONE -> 1;
                    default -> 2;
                };
            };
            """))
                .filteredOn(found -> found.swallows(cases))
                .extracting(PatternSwitches.Found::line)
                .containsExactly(1, 8);
    }

    private static boolean mustBeDeterministic(SourceFile file) {
        return !file.isTest() && List.of("ir", "compiler", "codegen-cuda").contains(file.module());
    }

    private interface Rule {
        boolean isBroken(SourceFile file, String line);
    }

    private static void expectNone(String what, Predicate<SourceFile> where, Rule rule) {
        List<String> broken = new ArrayList<>();
        for (SourceFile file : SourceTree.javaFiles()) {
            for (int i = 0; where.test(file) && i < file.lines().size(); i++) {
                if (rule.isBroken(file, file.lines().get(i))) {
                    broken.add(file.path() + ":" + (i + 1) + " "
                            + file.lines().get(i).strip());
                }
            }
        }
        assertThat(broken).as(what).isEmpty();
    }
}
