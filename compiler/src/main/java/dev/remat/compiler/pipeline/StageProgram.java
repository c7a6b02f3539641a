package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Message;
import java.util.List;

/**
 * All that a stage does in a step, in its order. It ends when its messages have.
 *
 * @param events in order
 */
public record StageProgram(List<StageEvent> events) {
    public StageProgram {
        events = List.copyOf(events);
        int begun = 0;
        for (StageEvent event : events) {
            if (event instanceof Await(int step, int message) && (message < 0 || message >= begun)) {
                throw new IllegalArgumentException("step " + step + " waits for message " + message + " of " + begun);
            }
            begun += event instanceof Message ? 1 : 0;
        }
    }

    /** Of the stage's plan, the last that is told of; 0 where there is none. */
    int lastStep() {
        return events.isEmpty() ? 0 : events.getLast().step();
    }

    /** In the order in which they begin. */
    public List<Message> messages() {
        return events.stream()
                .filter(Message.class::isInstance)
                .map(Message.class::cast)
                .toList();
    }
}
