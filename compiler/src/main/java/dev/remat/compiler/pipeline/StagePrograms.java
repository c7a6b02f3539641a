package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongBiFunction;

/** What the plans of stages do about each other. */
public final class StagePrograms {
    private final List<ExecutionPlan> stages;
    private final ToLongBiFunction<Integer, Integer> nanos;
    /** What is sent, by number. */
    private final SortedMap<Integer, String> names = new TreeMap<>();

    private StagePrograms(List<ExecutionPlan> stages, ToLongBiFunction<Integer, Integer> nanos) {
        this.stages = stages;
        this.nanos = nanos;
    }

    /**
     * By stage.
     *
     * @param stages the plans of all
     * @param nanos how long a step takes, by its stage and its number there
     */
    public static List<StageProgram> of(List<ExecutionPlan> stages, ToLongBiFunction<Integer, Integer> nanos) {
        return new StagePrograms(stages, nanos).run();
    }

    private List<StageProgram> run() {
        for (ExecutionPlan plan : stages) {
            for (KernelStep step : plan.steps()) {
                if (op(step) instanceof dev.remat.ir.op.Send send) {
                    names.put(send.number(), step.name().substring(step.name().indexOf('.') + 1));
                }
            }
        }
        List<StageProgram> programs = new ArrayList<>();
        for (int stage = 0; stage < stages.size(); stage++) {
            programs.add(program(stage));
        }
        return programs;
    }

    private static Op op(KernelStep step) {
        return step.body().instructions().getFirst().op();
    }

    private StageProgram program(int stage) {
        ExecutionPlan plan = stages.get(stage);
        List<ExchangeWindow> windows = ExchangeWindow.of(plan);
        SortedMap<Integer, List<StageEvent>> ends = new TreeMap<>();
        for (int number = 0; number < windows.size(); number++) {
            int end = windows.get(number).end();
            ends.computeIfAbsent(end, _ -> new ArrayList<>()).add(new Await(end, number));
        }
        List<StageEvent> events = new ArrayList<>();
        for (int step = 0; step <= plan.steps().size(); step++) {
            events.addAll(ends.getOrDefault(step, List.of()));
            if (step < plan.steps().size()) {
                events.add(event(stage, step, plan.steps().get(step)));
            }
        }
        return new StageProgram(events);
    }

    private StageEvent event(int stage, int step, KernelStep kernel) {
        return switch (op(kernel)) {
            case dev.remat.ir.op.Send op ->
                new Send(step, name(op), op.stage(), kernel.read(0).type().bytes());
            case dev.remat.ir.op.Receive op ->
                new Receive(step, name(op), op.stage(), op.type().bytes());
            case dev.remat.ir.op.Exchange op -> {
                TensorType type =
                        kernel.body().instructions().getFirst().types().getFirst();
                yield new Exchange(step, kernel.name(), nanos.applyAsLong(stage, step), op.sentBytes(type));
            }
            case Op _ -> new Run(step, kernel.name(), nanos.applyAsLong(stage, step));
        };
    }

    /** Both ends have one name where they have one number. */
    private String name(Message op) {
        return names.getOrDefault(op.number(), "message") + " #" + op.number();
    }
}
