package dev.remat.ir.execution;

import dev.remat.ir.op.Message;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Send;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where stages stand when none of them may update anything yet: at their first update, or
 * at a message they wait for.
 */
final class PausePoints {
    private final List<Stage> stages = new ArrayList<>();
    /** How many messages have been begun at each end, by who sends, who takes, and which end it is. */
    private final Map<Integer, Integer> begun = new TreeMap<>();

    private PausePoints(List<ExecutionPlan> plans) {
        plans.forEach(plan -> stages.add(new Stage(stages.size(), plan)));
    }

    /** By stage: how many steps it has done. */
    static int[] of(List<ExecutionPlan> plans) {
        PausePoints points = new PausePoints(plans);
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Stage stage : points.stages) {
                moved |= points.goOn(stage);
            }
        }
        return points.stages.stream().mapToInt(stage -> stage.at).toArray();
    }

    private boolean goOn(Stage stage) {
        int before = stage.at;
        while (stage.at < stage.plan.steps().size()
                && !PlanSet.changesState(stage.plan.steps().get(stage.at))
                && stage.ends.getOrDefault(stage.at, List.of()).stream().allMatch(window -> hasEnded(stage, window))) {
            if (message(stage, stage.at) instanceof Message message) {
                stage.place.put(stage.at, begun.merge(key(stage, message, true), 1, Integer::sum));
            }
            stage.at++;
        }
        return stage.at > before;
    }

    private boolean hasEnded(Stage stage, ExchangeWindow window) {
        Message message = (Message) message(stage, window.begin());
        return begun.getOrDefault(key(stage, message, false), 0) >= stage.place.get(window.begin());
    }

    private static Op message(Stage stage, int step) {
        return stage.plan.steps().get(step).body().instructions().getFirst().op();
    }

    /** @param own whether this end of the message is meant, or the other */
    private int key(Stage stage, Message message, boolean own) {
        boolean sends = message instanceof Send;
        int from = sends ? stage.number : message.stage();
        int to = sends ? message.stage() : stage.number;
        return 2 * (from * stages.size() + to) + (sends == own ? 0 : 1);
    }

    private static final class Stage {
        private final int number;
        private final ExecutionPlan plan;
        /** Messages, by the step in front of which they have ended. */
        private final Map<Integer, List<ExchangeWindow>> ends = new TreeMap<>();
        /** Of each message that has been begun, by its step: which it is between its two stages, from 1. */
        private final Map<Integer, Integer> place = new TreeMap<>();

        private int at;

        Stage(int number, ExecutionPlan plan) {
            this.number = number;
            this.plan = plan;
            // All ranks of a stage come to an exchange together.
            for (ExchangeWindow window : ExchangeWindow.of(plan)) {
                if (message(this, window.begin()) instanceof Message) {
                    ends.computeIfAbsent(window.end(), _ -> new ArrayList<>()).add(window);
                }
            }
        }
    }
}
