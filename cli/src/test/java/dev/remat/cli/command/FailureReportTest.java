package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.ExitCode;
import dev.remat.compiler.pipeline.SetChecker;
import dev.remat.compiler.pipeline.SetViolationException;
import dev.remat.compiler.pipeline.StageEvent;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.compiler.pipeline.StageProgram;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureReportTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private ExitCode report(List<StageEvent> first, List<StageEvent> second) {
        Console console = new Console(new ByteArrayOutputStream(), err, false, false);
        FailureReport report =
                new FailureReport(RematCommand.commandLine(console, _ -> false).getCommand());
        SetViolationException refused = catchThrowableOfType(
                SetViolationException.class,
                () -> SetChecker.check(List.of(new StageProgram(first), new StageProgram(second))));
        ExitCode code = report.report(refused);
        console.flush();
        return code;
    }

    @Test
    void stagesThatStandStillAreToldWithBothSteps() {
        List<StageEvent> waits = List.of(new Receive(4, "y", 1, 8), new StageEvent.Await(6, 0));
        List<StageEvent> waitsToo = List.of(new Receive(7, "x", 0, 8), new StageEvent.Await(9, 0));
        assertThat(report(waits, waitsToo)).isEqualTo(ExitCode.PLAN_VIOLATION);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("error[E0901]: ", "stage 0 waits for ever at step 6", "waits at step 9", "help error E0901")
                .doesNotContain("internal error", "\tat ");
    }

    @Test
    void messagesThatDifferAreToldWithBothSteps() {
        assertThat(report(List.of(new Send(3, "x", 1, 4)), List.of(new Receive(9, "x", 0, 8))))
                .isEqualTo(ExitCode.PLAN_VIOLATION);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("error[E0902]: ", "stage 1 at step 9", "stage 0 at step 3", "help error E0902")
                .doesNotContain("internal error", "\tat ");
    }
}
