package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Beside;
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
            if (event instanceof Await(int step, int number) && (number < 0 || number >= begun)) {
                throw new IllegalArgumentException("step " + step + " waits for " + number + " of " + begun);
            }
            begun += event instanceof Beside ? 1 : 0;
        }
    }

    /** Of the stage's plan, the last that is told of; 0 where there is none. */
    int lastStep() {
        return events.isEmpty() ? 0 : events.getLast().step();
    }

    /** What runs beside kernels, in the order in which it begins. */
    public List<Beside> begun() {
        return events.stream()
                .filter(Beside.class::isInstance)
                .map(Beside.class::cast)
                .toList();
    }

    /** Those with other stages, in the order in which they begin. */
    public List<Message> messages() {
        return events.stream()
                .filter(Message.class::isInstance)
                .map(Message.class::cast)
                .toList();
    }
}
