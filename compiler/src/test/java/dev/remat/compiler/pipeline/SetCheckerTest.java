package dev.remat.compiler.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.pipeline.SetViolationException.Kind;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Send;
import java.util.List;
import org.junit.jupiter.api.Test;

class SetCheckerTest {
    private static Kind refused(List<StageEvent> first, List<StageEvent> second) {
        return catchThrowableOfType(SetViolationException.class, () -> check(first, second))
                .kind();
    }

    private static void check(List<StageEvent> first, List<StageEvent> second) {
        SetChecker.check(List.of(new StageProgram(first), new StageProgram(second)));
    }

    @Test
    void tellsAStandstillFromWhatDiffers() {
        List<StageEvent> sends = List.of(new Send(3, "x", 1, 4));
        assertThat(refused(sends, List.of())).isEqualTo(Kind.STANDSTILL);
        assertThat(refused(sends, List.of(new Receive(9, "x", 0, 8)))).isEqualTo(Kind.MISMATCH);
        assertThat(Kind.STANDSTILL.code()).isEqualTo("E0901");
        assertThat(Kind.MISMATCH.code()).isEqualTo("E0902");
    }

    /** Each sends before it takes, and waits until the other has it. */
    @Test
    void refusesTwoThatBothSendFirst() {
        assertThatThrownBy(() -> check(
                        List.of(new Send(3, "x", 1, 4), new Await(4, 0), new Receive(5, "y", 1, 4)),
                        List.of(new Send(7, "y", 0, 4), new Await(8, 0), new Receive(9, "x", 0, 4))))
                .isInstanceOf(SetViolationException.class)
                .hasMessage("stage 0 waits for ever at step 4 for 'x' to stage 1,"
                        + " which waits at step 8 for 'y' to stage 0");
    }

    @Test
    void takesTwoThatSendFirstAndWaitLater() {
        assertThatCode(() -> check(
                        List.of(new Send(3, "x", 1, 4), new Receive(5, "y", 1, 4), new Await(6, 0), new Await(6, 1)),
                        List.of(new Send(7, "y", 0, 4), new Receive(9, "x", 0, 4), new Await(9, 1))))
                .doesNotThrowAnyException();
    }

    /** All ranks come to them, so that they end, and are counted among what is awaited. */
    @Test
    void exchangesWithOtherRanksWaitForNoStage() {
        List<StageEvent> sends =
                List.of(new Exchange(1, "g", 5, 0), new Send(3, "x", 1, 4), new Await(4, 0), new Await(4, 1));
        assertThatCode(() -> check(sends, List.of(new Receive(9, "x", 0, 4), new Await(10, 0))))
                .doesNotThrowAnyException();
        assertThat(refused(sends, List.of(new Exchange(9, "x", 5, 0), new Await(10, 0))))
                .isEqualTo(Kind.STANDSTILL);
    }

    @Test
    void refusesOtherBytes() {
        assertThatThrownBy(() ->
                        check(List.of(new Send(3, "x", 1, 4)), List.of(new Receive(9, "x", 0, 8), new Await(10, 0))))
                .isInstanceOf(SetViolationException.class)
                .hasMessage("stage 1 at step 9 takes 'x' of 8 bytes where stage 0 at step 3 sends 'x' of 4 bytes");
    }

    @Test
    void refusesAnotherOrder() {
        assertThatThrownBy(() -> check(
                        List.of(new Send(3, "x", 1, 4), new Send(4, "y", 1, 4)),
                        List.of(new Receive(8, "y", 0, 4), new Receive(9, "x", 0, 4))))
                .isInstanceOf(SetViolationException.class)
                .hasMessage("stage 1 at step 8 takes 'y' of 4 bytes where stage 0 at step 3 sends 'x' of 4 bytes");
    }

    @Test
    void refusesWhatNobodyTakes() {
        assertThatThrownBy(() -> check(List.of(new Send(3, "x", 1, 4)), List.of()))
                .isInstanceOf(SetViolationException.class)
                .hasMessage("stage 0 waits for ever at step 3 for 'x' to stage 1,"
                        + " which has come to its end behind step 0");
    }

    @Test
    void refusesWhatNobodySends() {
        assertThatThrownBy(() -> check(List.of(), List.of(new Receive(3, "x", 0, 4), new Await(6, 0))))
                .isInstanceOf(SetViolationException.class)
                .hasMessage("stage 1 waits for ever at step 6 for 'x' from stage 0,"
                        + " which has come to its end behind step 0");
    }

    @Test
    void refusesStagesThatThereAreNot() {
        assertThatThrownBy(() -> check(List.of(new Send(3, "x", 2, 4)), List.of()))
                .isInstanceOf(SetViolationException.class)
                .hasMessage("stage 0 at step 3 sends 'x' of 4 bytes, to stage 2 of 2");
        assertThatThrownBy(() -> check(List.of(new Send(3, "x", 0, 4)), List.of()))
                .isInstanceOf(SetViolationException.class);
        assertThatThrownBy(() -> new StageProgram(List.of(new Await(3, 0))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
