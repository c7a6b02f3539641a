package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.SetTimeline;
import dev.remat.compiler.pipeline.StageEvent;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.compiler.pipeline.StageProgram;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Role;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is computed again runs while the gradient that it is for is on its way: a stage waits where a kernel reads what
 * has not come, and plans have repeats in front of that.
 */
@Tag("slow")
class EarlyRepeatsTest {
    private static final Link LINK = new Link(1_250_000_000L, 5_000);

    @ParameterizedTest
    @ValueSource(strings = {"gpipe", "1f1b"})
    void repeatsRunBeforeTheWait(String schedule) throws IOException {
        ElaboratedModel model = TrialRun.cut(
                TrialRun.sample("gpt"),
                "B=8,T=16,vocab=64,width=64,depth=4,heads=2,context=16",
                Purpose.TRAIN,
                8,
                DType.F32);
        CpuTarget target = new CpuTarget();
        RooflineCost costs = new RooflineCost(target.device());
        StageSet set = new CompileStages(new Compiler(target, costs), target, costs)
                .run(
                        model,
                        CompileOptions.defaults().withStrategy("pipe-always"),
                        new Staging(4, Schedule.parse(schedule).orElseThrow()));
        long planned = set.times(Optional.of(LINK)).makespan();
        assertThat(makespan(set, EarlyRepeatsTest::late)).isGreaterThan(planned);
        assertThat(makespan(set, EarlyRepeatsTest::earliest)).isEqualTo(planned);
    }

    private static long makespan(StageSet set, BiFunction<StageProgram, ExecutionPlan, StageProgram> moved) {
        List<StageProgram> programs = set.programs(Optional.of(LINK));
        return SetTimeline.of(
                        IntStream.range(0, programs.size())
                                .mapToObj(stage -> moved.apply(
                                        programs.get(stage),
                                        set.plans().stages().get(stage)))
                                .toList(),
                        LINK)
                .makespan();
    }

    private static boolean isRepeat(StageEvent event, ExecutionPlan plan) {
        return event instanceof Run run && plan.steps().get(run.step()).recomputed();
    }

    /** Waits for what comes before anything is computed again for it. */
    private static StageProgram late(StageProgram program, ExecutionPlan plan) {
        List<StageEvent> events = new ArrayList<>();
        for (StageEvent event : program.events()) {
            int at = events.size();
            while (isReceived(event, program) && isRepeat(events.get(at - 1), plan)) {
                at--;
            }
            events.add(at, event);
        }
        return new StageProgram(events);
    }

    /** Computes again all that a visit needs before it waits. */
    private static StageProgram earliest(StageProgram program, ExecutionPlan plan) {
        List<StageEvent> events = new ArrayList<>();
        int wait = -1;
        for (StageEvent event : program.events()) {
            if (isReceived(event, program)) {
                wait = events.size();
            } else if (event instanceof Send
                    || event instanceof Run run
                            && plan.steps().get(run.step()).role() == Role.FORWARD
                            && !isRepeat(event, plan)) {
                wait = -1;
            }
            if (isRepeat(event, plan) && wait >= 0) {
                events.add(wait++, event);
            } else {
                events.add(event);
            }
        }
        return new StageProgram(events);
    }

    private static boolean isReceived(StageEvent event, StageProgram program) {
        return event instanceof Await(int _, int message) && program.begun().get(message) instanceof Receive;
    }
}
