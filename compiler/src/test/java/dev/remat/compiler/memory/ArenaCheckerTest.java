package dev.remat.compiler.memory;

import dev.remat.compiler.TestModels;
import org.junit.jupiter.api.Test;
class ArenaCheckerTest {
    @Test
    void accepts() {
        for (String s : new String[] {"keep-all", "sqrt"}) {
            var c = TestModels.compile(TestModels.mlp(9, 16, 8), s);
            System.out.println(s + " " + c.plan().arenaBytes() + " repeats " + c.evaluation().repeats()+ " " + c.keepAllArenaBytes());
        }
    }
}
