package dev.remat.codegen.cuda.cabi;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.StageMessages;
import java.util.function.IntToLongFunction;

/** What a stage knows of its messages; nothing at all where a step is not cut into stages. */
final class MessageTables {
    private final StageMessages messages;

    MessageTables(ExecutionPlan plan) {
        this.messages = StageMessages.of(plan);
    }

    void write(TableText text) {
        if (messages.isEmpty()) {
            return;
        }
        text.line("constexpr size_t STOP_COUNT = " + messages.stops().size() + ";");
        text.array(
                "remat_message MESSAGES[]",
                messages.ends(),
                end -> "{%s, %d, %d, %d, %dULL, %dULL}"
                        .formatted(
                                TableText.quoted(end.name()),
                                end.sends() ? 1 : 0,
                                end.stage(),
                                end.number(),
                                end.range().offset(),
                                end.range().bytes()));
    }

    /** @param launchesBefore a step, on one architecture */
    void writeStops(TableText text, IntToLongFunction launchesBefore) {
        if (!messages.isEmpty()) {
            text.array(
                    "Stop STOPS[]",
                    messages.stops(),
                    stop -> "{" + launchesBefore.applyAsLong(stop.before()) + ", REMAT_" + stop.kind() + ", "
                            + stop.message() + "}");
        }
    }

    /** A field of {@code Program}, and what separates it from the next. */
    String ofProgram(String architecture) {
        return messages.isEmpty() ? "" : architecture + "::STOPS, ";
    }
}
