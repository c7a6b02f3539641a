package dev.remat.codegen.cuda.sass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ControlFlowTest {
    private static final int FADD = 0x221;
    private static final int FFMA = 0x223;

    @Test
    void nestedLoopsAreFound() {
        ControlFlow flow = new Assembly()
                .plain(2, FADD, 1)
                .plain(1, FADD, 1)
                .plain(3, FFMA, 4)
                .branch(3, true)
                .branch(2, true)
                .exit()
                .flow();
        assertThat(flow.loops()).containsExactly(new Loop(2, 8), new Loop(3, 7));
        assertThat(flow.innermost(Opcode.FFMA)).containsExactly(new Loop(3, 7));
        assertThat(flow.innermost(Opcode.FADD)).containsExactly(new Loop(2, 8));
        assertThat(flow.innermost(Opcode.LDG)).isEmpty();
    }

    @Test
    void codeMovedOutOfTheWayIsNoLoop() {
        ControlFlow flow = new Assembly()
                .branch(4, true)
                .plain(1, FADD, 1)
                .plain(1, FADD, 1)
                .exit()
                .plain(9, FFMA, 1)
                .branch(2, false)
                .flow();
        assertThat(flow.loops()).isEmpty();
        assertThat(ExecutedPath.longest(flow, _ -> 1).instructions()).isEqualTo(1 + 9 + 1 + 2);
    }

    @Test
    void theBranchToItselfAtTheEndIsNoLoop() {
        assertThat(new Assembly().exit().branch(1, false).flow().loops()).isEmpty();
    }

    @Test
    void loopsCountAsOftenAsTold() {
        ControlFlow flow = new Assembly()
                .plain(2, FADD, 1)
                .plain(3, FFMA, 4)
                .branch(2, true)
                .plain(5, FADD, 2)
                .exit()
                .flow();
        ExecutedPath ten = ExecutedPath.longest(flow, _ -> 10);
        assertThat(ten.instructions()).isEqualTo(2 + 10 * 4 + 6);
        assertThat(ten.stall()).isEqualTo(2 + 10 * (3 * 4 + 1) + 5 * 2 + 1);
        assertThat(ten.flops()).isEqualTo(32 * (2 + 10 * 3 * 2 + 5));
        assertThat(ExecutedPath.longest(flow, _ -> 0).instructions()).isEqualTo(2 + 6);
    }

    /** A loop that is left from its beginning is still gone through. */
    @Test
    void loopsMayBeLeftAnywhere() {
        ControlFlow flow = new Assembly()
                .branch(6, true)
                .plain(4, FFMA, 1)
                .branch(0, false)
                .plain(7, FADD, 1)
                .exit()
                .flow();
        assertThat(ExecutedPath.longest(flow, _ -> 3).instructions()).isEqualTo(3 * 6 + 8);
    }

    @Test
    void ofTwoBranchesTheLongerOrTheShorterIsTaken() {
        ControlFlow flow = new Assembly()
                .plain(1, FADD, 1)
                .branch(5, true)
                .plain(2, FADD, 1)
                .branch(12, false)
                .plain(7, FADD, 1)
                .plain(1, FADD, 1)
                .branch(0, true)
                .exit()
                .flow();
        Loop loop = new Loop(0, 14);
        assertThat(flow.loops()).containsExactly(loop);
        assertThat(ExecutedPath.longest(flow, loop, _ -> 1).instructions()).isEqualTo(2 + 7 + 2);
        assertThat(ExecutedPath.shortest(flow, loop).instructions()).isEqualTo(2 + 3 + 2);
    }

    @Test
    void jumpsAnywhereAreRefused() {
        Assembly sound = new Assembly();
        Assembly wild = new Assembly();
        for (int i = 0; i < 300; i++) {
            sound.plain(1, FADD, 1).branch(i % 2 == 0 ? sound.size() : 2 * i, true);
            wild.plain(1, FADD, 1).branch(2 * i, true);
        }
        assertThat(sound.flow().loops()).hasSize(150);
        assertThatThrownBy(wild::flow).isInstanceOf(CorruptCubinException.class).hasMessageContaining("300 loops");
    }
}
