package dev.remat.compiler.plan.exact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PebbleGameTest {
    /** Values of these sizes, all of which a node reads behind one that reads nothing. */
    private static RematProblem apart(long... bytes) {
        List<ProblemNode> nodes = new ArrayList<>();
        int[] all = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            nodes.add(node("n" + i, bytes[i]));
            all[i] = i;
        }
        nodes.add(node("between", 10));
        nodes.add(node("reads", 1).withInputs(all));
        return RematProblem.of("apart", nodes, List.of(bytes.length, bytes.length + 1));
    }

    private static ProblemNode node(String name, long bytes) {
        return ProblemNode.of(name, Role.FORWARD).withCost(1).withResult(ProblemValue.of(name, bytes));
    }

    private static PebbleGame within(RematProblem problem, long budget) {
        return PebbleGame.of(problem, budget).orElseThrow();
    }

    private static int named(PebbleGame game, int node) {
        for (int i = 0; i < game.size(); i++) {
            if (game.node(i) == node) {
                return i;
            }
        }
        throw new IllegalArgumentException("no node " + node);
    }

    /** Plays the first nodes, of which all results stay. */
    private static long live(PebbleGame game, int nodes) {
        long[] live = {0};
        for (int n = 0; n < nodes; n++) {
            game.run(n, (1L << n) - 1, live[0], next -> {
                live[0] = next;
                return true;
            });
        }
        return live[0];
    }

    @Test
    void givesUpWhatMakesRoomAndNoMore() {
        PebbleGame game = within(apart(3, 7, 5, 4, 2), 21 + 10 - 7);
        long live = live(game, 5);
        Set<Long> told = new HashSet<>();
        assertThat(game.run(named(game, 5), 0b11111, live, next -> {
                    assertThat(Long.bitCount(live & ~next)).isPositive();
                    assertThat(told.add(next)).isTrue();
                    return true;
                }))
                .isTrue();
        // Of 3, 7, 5, 4 and 2, at least 7 bytes without one to spare: 7; 5 and any other; 3 and 4.
        assertThat(told).hasSize(5);
    }

    @Test
    void stopsWhenItIsTold() {
        long[] bytes = new long[40];
        Arrays.fill(bytes, 10);
        PebbleGame game = within(apart(bytes), 210);
        int[] told = {0};
        long all = (1L << 40) - 1;
        assertThat(game.run(named(game, 40), all, all, next -> ++told[0] < 1_000))
                .isFalse();
        assertThat(told[0]).isEqualTo(1_000);
    }
}
