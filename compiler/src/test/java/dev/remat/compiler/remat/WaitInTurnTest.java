package dev.remat.compiler.remat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.memory.Kernels;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.text.GraphParser;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What waits for a message stays behind those that come before it, and nothing else moves. */
class WaitInTurnTest {
    /** Sends a, takes r, sends b, which is made of c, and only then reads r. */
    private static final String READS_LAST = """
        input %x f32[8]
        %a = exp(%x)
        %t = send{stage=1, number=0}(%a)
        %r, %u = receive{stage=1, number=1, dtype=f32, shape=[8]}(%t)
        %c = tanh(%x)
        %b = softmax(%c)
        %v = send{stage=1, number=2}(%b, %u)
        %y = softmax(%r)
        output %y
        """;

    private static PlanningProblem planning(String graph) {
        return Kernels.planning(GraphParser.parse(graph));
    }

    /** Of the first results of nodes. */
    private static int node(PlanningProblem planning, String name) {
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            if (planning.problem().valueId(planning.problem().firstResult(n)).equals(name)) {
                return n;
            }
        }
        throw new AssertionError(name);
    }

    private static List<String> inTurn(String graph, String... names) {
        PlanningProblem planning = planning(graph);
        int[] steps = Stream.of(names).mapToInt(name -> node(planning, name)).toArray();
        OperatorSequence sequence = WaitInTurn.run(planning, new OperatorSequence("own", steps, List.of()));
        return sequence.nodes()
                .mapToObj(n -> planning.problem().valueId(planning.problem().firstResult(n)))
                .toList();
    }

    @Test
    void messagesComeBeforeWhatWaitsBehindThem() {
        assertThat(inTurn(READS_LAST, "a", "t", "r", "y", "c", "b", "v"))
                .containsExactly("a", "t", "r", "c", "b", "v", "y");
    }

    /** Planners are told, so that nothing has to be moved behind their backs. */
    @Test
    void messagesAndWhatWaitsForThemAreInTurn() {
        PlanningProblem planning = planning(READS_LAST);
        RematProblem problem = planning.problem();
        assertThat(problem.turnBefore(node(planning, "y"))).isEqualTo(node(planning, "v"));
        assertThat(problem.turnAfter(node(planning, "v"))).isEqualTo(node(planning, "y"));
        assertThat(problem.turnBefore(node(planning, "t"))).isEqualTo(RematProblem.NO_TURN);
        for (String other : List.of("a", "c", "b")) {
            assertThat(problem.node(node(planning, other)).inTurn()).as(other).isFalse();
        }
    }

    @Test
    void whatIsRepeatedRunsAsOftenAsBefore() {
        assertThat(inTurn(READS_LAST, "a", "t", "c", "r", "y", "c", "b", "v"))
                .containsExactly("a", "t", "c", "r", "b", "v", "y", "c");
    }

    @Test
    void whatWaitsForNothingMayRunAtAnyTime() {
        assertThat(inTurn(READS_LAST, "c", "b", "a", "t", "r", "v", "y"))
                .containsExactly("c", "b", "a", "t", "r", "v", "y");
    }

    @Test
    void whatWaitsMayRunBeforeMessagesBehindIt() {
        String readsFirst =
                READS_LAST.replace("%y = softmax(%r)\n", "").replace("%c = tanh", "%y = softmax(%r)\n%c = tanh");
        assertThat(inTurn(readsFirst, "a", "t", "r", "y", "c", "b", "v"))
                .containsExactly("a", "t", "r", "y", "c", "b", "v");
    }

    /** Adds up a loss that needs what is received, beside an update of a parameter. */
    private static final String UPDATES_LAST = """
        input %p f32[8] parameter
        input %g f32[8] accumulator
        input %rate f32[]
        input %x f32[8]
        %a = exp(%x)
        %t = send{stage=1, number=0}(%a)
        %r, %u = receive{stage=1, number=1, dtype=f32, shape=[8]}(%t)
        %loss = softmax(%r)
        %new = update{rule=sgd, states=0, steps=[mul x2 g, sub p t0], results=[t1]}(%p, %g, %rate) update
        output %loss
        output %new
        """;

    @Test
    void lossesAreKnownBeforeAnythingIsUpdated() {
        assertThat(inTurn(UPDATES_LAST, "new", "a", "t", "r", "loss")).containsExactly("a", "t", "r", "loss", "new");
        assertThat(inTurn(UPDATES_LAST, "a", "t", "new", "r", "loss")).containsExactly("a", "t", "r", "loss", "new");
    }

    @Test
    void whatIsNotMinimisedMayBeKnownLater() {
        String another = UPDATES_LAST.replace("%loss", "%other");
        assertThat(inTurn(another, "new", "a", "t", "r", "other")).containsExactly("new", "a", "t", "r", "other");
    }
}
