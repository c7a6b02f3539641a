package dev.remat.compiler.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.MeasuredPlan;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProblemFileTest {
    private static final String FULL = """
        {"format":"remat-problem/1","name":"tiny","nodes":[
        {"id":"w","cost":0,"bytes":8,"resident":true},
        {"id":"a","cost":3,"results":[{"id":"x","bytes":4},{"id":"mean","bytes":1}],
        "inputs":["w"],"pin":"recompute"},
        {"id":"v","cost":0,"viewOf":"x","inputs":["x"]},
        {"id":"r","cost":1,"bytes":4,"inPlaceOf":"v","inputs":["v"],"workspaceBytes":7,"recomputable":false},
        {"id":"dw","cost":5,"bytes":8,"inputs":["r","x"],"phase":"backward"},
        {"id":"u","cost":1,"results":[],"inputs":["dw"],"phase":"update","writes":"w"}
        ],"outputs":["r"]}
        """;

    private static RematProblem read(String text) {
        return ProblemReader.read(new Source("p.json", text));
    }

    private static String problem(String... nodes) {
        return "{\"format\":\"remat-problem/1\",\"nodes\":[\n" + String.join(",\n", nodes) + "]}";
    }

    /** Headlines of what is wrong with a text. */
    private static String errors(String text) {
        ModelException e = catchThrowableOfType(ModelException.class, () -> read(text));
        assertThat(e).as("%s is accepted", text).isNotNull();
        return String.join(
                "\n", e.diagnostics().stream().map(Diagnostic::headline).toList());
    }

    @Test
    void readsEveryField() {
        RematProblem problem = read(FULL);
        assertThat(problem.name()).isEqualTo("tiny");
        assertThat(problem.residentNode(0)).isTrue();
        assertThat(problem.pin(1)).isEqualTo(Pin.RECOMPUTE);
        assertThat(problem.valueId(2)).isEqualTo("mean");
        assertThat(problem.storage(3)).isEqualTo(1);
        assertThat(problem.inPlaceOf(4)).isEqualTo(3);
        assertThat(problem.once(3)).isTrue();
        assertThat(problem.workspaceBytes(3)).isEqualTo(7);
        assertThat(problem.role(4)).isEqualTo(Role.BACKWARD);
        assertThat(problem.writes(5)).containsExactly(0);
        assertThat(problem.outputs()).containsExactly(4);
    }

    @Test
    void writesWhatItReads() {
        String written = ProblemWriter.write(read(FULL));
        assertThat(ProblemWriter.write(read(written))).isEqualTo(written);
        assertThat(written)
                .contains("\"writes\":[\"w\"]")
                .contains("\"inPlaceOf\":\"v\"")
                .contains("\"resident\":true");
    }

    @Test
    void locatesMistakesOfForm() {
        assertThat(errors("")).startsWith("p.json:1:1: error[E0603]: an object is expected");
        assertThat(errors("{\"format\":")).startsWith("p.json:1:").contains("E0601");
        assertThat(errors("{\"format\":\n what}"))
                .startsWith("p.json:2:")
                .contains("E0601")
                .doesNotContain("Jackson");
        assertThat(errors("{\"format\":\"remat-problem/3\"}")).startsWith("p.json:1:11: error[E0603]");
        assertThat(errors("{\"format\":\"remat-problem/1\"}")).contains("E0602").contains("'nodes'");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":1,\"bytes\":1,\"size\":1}")))
                .startsWith("p.json:2:30: error[E0602]: unknown field \"size\"");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":1,\"cost\":1,\"bytes\":1}")))
                .contains("E0601");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":1}")))
                .startsWith("p.json:2:1")
                .contains("needs 'bytes'");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":1.5,\"bytes\":1}")))
                .contains("E0603")
                .contains("integer");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":-1,\"bytes\":1}"))).contains("not negative");
        assertThat(errors(problem("{\"id\":7,\"cost\":1,\"bytes\":1}"))).contains("a string is expected");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":1,\"bytes\":1,\"phase\":\"Forward\"}")))
                .contains("'Forward'");
        assertThat(errors(problem("{\"id\":\"a\",\"cost\":9223372036854775808,\"bytes\":1}")))
                .contains("64 bits");
        assertThat(errors(problem() + "x")).contains("E0601");
    }

    @Test
    void saysWhatIsKnownInstead() {
        ModelException field = catchThrowableOfType(ModelException.class, () -> read("{\"nodes\":[],\"inputs\":[]}"));
        assertThat(field.diagnostics().getFirst().notes())
                .containsExactly("fields here are format, name, nodes, outputs, tiers");
        ModelException value = catchThrowableOfType(ModelException.class, () -> read(problem("{\"pin\":\"keep\"}")));
        assertThat(value.diagnostics().getFirst().notes())
                .containsExactly("expected one of none, retain, recompute, offload");
        String alpha = "{\"id\":\"alpha\",\"cost\":1,\"bytes\":1}";
        ModelException near = catchThrowableOfType(
                ModelException.class,
                () -> read(problem(alpha, "{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"inputs\":[\"alpa\"]}")));
        assertThat(near.diagnostics().getFirst().notes()).containsExactly("did you mean 'alpha'?");
        ModelException far = catchThrowableOfType(
                ModelException.class,
                () -> read(problem(alpha, "{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"inputs\":[\"omega\"]}")));
        assertThat(far.diagnostics().getFirst().notes()).isEmpty();
    }

    @Test
    void locatesMistakesOfMeaning() {
        String a = "{\"id\":\"alpha\",\"cost\":1,\"bytes\":1,\"inputs\":[]}";
        assertThat(errors(problem(a, a))).startsWith("p.json:3:7: error[E0604]: duplicate node id 'alpha'");
        assertThat(errors(problem(a, "{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"inputs\":[\"alpa\"]}")))
                .startsWith("p.json:3:40: error[E0604]: unknown value 'alpa'");
        assertThat(errors(problem("{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"inputs\":[\"alpha\"]}", a)))
                .contains("E0605")
                .contains("before it is computed");
        assertThat(errors(problem(
                        "{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"inputs\":[\"c\"]}",
                        "{\"id\":\"c\",\"cost\":1,\"bytes\":1,\"inputs\":[\"b\"]}")))
                .contains("E0605")
                .contains("cycle")
                .contains("b <- c");
        assertThat(errors(problem("{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"inputs\":[\"b\"]}")))
                .contains("cycle");
        assertThat(errors(problem(a, "{\"id\":\"b\",\"cost\":1,\"bytes\":1,\"viewOf\":\"alpha\"}")))
                .startsWith("p.json:3:1: error[E0606]");
        String huge = "{\"id\":\"%s\",\"cost\":1,\"bytes\":9223372036854775807}";
        assertThat(errors(problem(huge.formatted("a"), huge.formatted("b"))))
                .contains("E0606")
                .contains("2^60");
    }

    @Test
    void reportsSeveralMistakesAtOnce() {
        ModelException e = catchThrowableOfType(
                ModelException.class,
                () -> read(problem("{\"id\":\"a\",\"cost\":1,\"bytes\":1,\"inputs\":[\"x\",\"y\"]}")));
        assertThat(e.diagnostics()).hasSize(2);
    }

    @Test
    void anAnswerSurvivesItsFile() {
        RematProblem problem = read(FULL);
        OperatorSequence sequence = new KeepAll().plan(problem, PlannerOptions.none());
        MeasuredPlan plan = new MeasuredPlan(Proposal.of(problem, sequence), 20);
        LowerBound bound = new LowerBound(10, BoundScope.ANY_ORDER);
        SolveAnswer answer = SolveAnswer.of(
                        problem.name(),
                        new Choice<>(plan, plan, new MemoryFloor(12, "a"), OptionalLong.of(100), 20, bound, 0))
                .withSeconds(0.5);
        String text = AnswerWriter.write(problem, answer);
        SolveAnswer again = AnswerReader.read(new Source("s.json", text), problem);
        assertThat(again.sequence().sameSteps(sequence)).isTrue();
        assertThat(AnswerWriter.write(problem, again)).isEqualTo(text);
        // w once, a twice because its results are pinned to be recomputed, v at no cost.
        assertThat(text)
                .startsWith("{\"format\":\"remat-sequence/1\",\"problem\":\"tiny\",\"strategy\":\"keep-all\"")
                .contains("\"baselineCost\":10")
                .contains("\"cost\":13")
                .contains("\"overhead\":0.3");
    }

    @Test
    void anAnswerMustNameNodesOfItsProblem() {
        String text = "{\"format\":\"remat-sequence/1\",\"steps\":[\"a\",\"dv\"]}";
        ModelException e = catchThrowableOfType(
                ModelException.class, () -> AnswerReader.read(new Source("s.json", text), read(FULL)));
        assertThat(e).hasMessageContaining("s.json:1:43").hasMessageContaining("no node 'dv'");
    }

    private static final String TIERED = """
        {"format":"remat-problem/2","name":"tiered","nodes":[
        {"id":"w","cost":0,"bytes":8,"resident":true,"home":"disk"},
        {"id":"x","cost":3,"bytes":4,"inputs":["w"],"offloadable":false},
        {"id":"dx","cost":5,"bytes":4,"inputs":["x"],"phase":"backward"}],
        "tiers":[{"name":"host","bytes":100,"storeBytesPerSecond":7,"fetchBytesPerSecond":9},
        {"name":"disk","bytes":1000,"storeBytesPerSecond":5,"fetchBytesPerSecond":6,"latencyNanos":11,
        "interferenceNanosPerMegabyte":12}]}
        """;

    @Test
    void theSecondVersionHasTiers() {
        RematProblem problem = read(TIERED);
        assertThat(problem.tiers())
                .containsExactly(new Tier("host", 100, 7, 9, 0), new Tier("disk", 1000, 5, 6, 11, 12));
        assertThat(problem.home(0)).isEqualTo(1);
        assertThat(problem.residentBytes()).isZero();
        assertThat(problem.residentBytes(1)).isEqualTo(8);
        assertThat(new boolean[] {problem.movable(0), problem.movable(1), problem.movable(2)})
                .containsExactly(true, false, true);
        String written = ProblemWriter.write(problem);
        assertThat(written)
                .startsWith("{\"format\":\"remat-problem/2\"")
                .contains("\"home\":\"disk\"")
                .contains("\"offloadable\":false")
                .contains("\"latencyNanos\":0}")
                .endsWith("\"latencyNanos\":11,\"interferenceNanosPerMegabyte\":12}]}");
        assertThat(ProblemWriter.write(read(written))).isEqualTo(written);
        assertThat(ProblemWriter.write(problem.withoutTiers().inOrder(new int[] {0, 1, 2})))
                .doesNotContain("home");
    }

    @Test
    void locatesMistakesAboutTiers() {
        assertThat(errors(TIERED.replace("problem/2", "problem/1")))
                .startsWith("p.json:2:53: error[E0602]: 'home' belongs to remat-problem/2");
        assertThat(errors(TIERED.replace("\"home\":\"disk\"", "\"home\":\"disc\"")))
                .startsWith("p.json:2:53: error[E0604]: unknown tier 'disc'");
        assertThat(errors(TIERED.replace("\"resident\":true,", "")))
                .startsWith("p.json:2:1: error[E0606]")
                .contains("only a resident has its home below");
        assertThat(errors(TIERED.replace("\"home\":\"disk\"", "\"home\":\"disk\",\"offloadable\":false")))
                .contains("E0606")
                .contains("must be offloadable");
        assertThat(errors(TIERED.replace("\"storeBytesPerSecond\":7", "\"storeBytesPerSecond\":0")))
                .startsWith("p.json:5:59: error[E0603]: a rate above zero is expected");
        assertThat(errors(TIERED.replace("\"storeBytesPerSecond\":7,", "")))
                .startsWith("p.json:5:10: error[E0602]: tier 'host' needs 'storeBytesPerSecond'");
        assertThat(errors(TIERED.replace("\"name\":\"disk\"", "\"name\":\"host\"")))
                .contains("unknown tier 'disk'");
        assertThat(errors(TIERED.replace("\"name\":\"host\"", "\"name\":\"disk\"")))
                .contains("E0606")
                .contains("two tiers 'disk'");
        assertThat(errors(TIERED.replace("\"name\":\"host\"", "\"name\":\"device\"")))
                .contains("E0603")
                .contains("cannot be called 'device'");
    }

    @Test
    void aValueMayBeNamedTwiceInWhatANodeWrites() {
        RematProblem problem = read(FULL.replace("\"writes\":\"w\"", "\"writes\":[\"w\",\"w\"]"));
        assertThat(problem.writes(5)).containsExactly(0);
        assertThat(ProblemWriter.write(problem)).isEqualTo(ProblemWriter.write(read(FULL)));
    }

    @Test
    void anAnswerTellsWhatIsMoved() {
        RematProblem problem = read(TIERED);
        String steps = "[{\"fetch\":\"w\"},\"x\",{\"store\":\"w\",\"tier\":\"disk\"},\"dx\",{\"await\":\"w\"}]";
        String text = "{\"format\":\"remat-sequence/2\",\"steps\":" + steps + "}";
        SolveAnswer answer = AnswerReader.read(new Source("s.json", text), problem);
        assertThat(SequenceEvaluator.evaluate(problem, answer.sequence()).violations())
                .isEmpty();
        assertThat(AnswerWriter.write(problem, answer))
                .startsWith("{\"format\":\"remat-sequence/2\"")
                .contains("\"steps\":" + steps);
        assertThat(answerErrors(text.replace(",\"tier\":\"disk\"", "")))
                .startsWith("s.json:1:57: error[E0602]: a step that moves a value is");
        assertThat(answerErrors(text.replace("\"tier\":\"disk\"", "\"tier\":\"disc\"")))
                .contains("E0603")
                .contains("no tier 'disc'");
        assertThat(answerErrors(text.replace("{\"fetch\":\"w\"}", "{\"fetch\":\"v\"}")))
                .contains("E0603")
                .contains("no value 'v'");
    }

    private static String answerErrors(String text) {
        ModelException e = catchThrowableOfType(
                ModelException.class, () -> AnswerReader.read(new Source("s.json", text), read(TIERED)));
        return e.diagnostics().getFirst().headline();
    }
}
