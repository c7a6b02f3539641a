package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.SetViolationException.Kind;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Proves that stages send each other what they take, and that none waits for ever, however fast each is. Knows the
 * programs alone, and nothing of how they came about.
 *
 * <p>Stages are run against each other as if a message moved nothing before both ends have begun it, which is the most
 * that an engine may ask for. Messages from one stage to another go in order. What a stage does next never depends on
 * who was faster, so that all orders in which stages run come as far: if one comes to the end, all do, and those of
 * engines that wait for less as well.
 */
public final class SetChecker {
    private final List<Standing> stages = new ArrayList<>();

    private SetChecker(List<StageProgram> programs) {
        for (StageProgram program : programs) {
            stages.add(new Standing(stages.size(), program, programs.size()));
        }
    }

    /**
     * @param programs by stage
     * @throws SetViolationException if one waits for ever, or gets other bytes than it takes; says both steps
     */
    public static void check(List<StageProgram> programs) {
        new SetChecker(programs).check();
    }

    private void check() {
        stages.forEach(stage -> stage.program.messages().forEach(message -> checkEnd(stage, message)));
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Standing stage : stages) {
                moved |= goOn(stage);
            }
        }
        for (Standing stage : stages) {
            int open = waitsFor(stage);
            if (open >= 0) {
                throw new SetViolationException(
                        Kind.STANDSTILL, standstill(stage, stage.begun.get(open).orElseThrow()));
            }
        }
    }

    private void checkEnd(Standing stage, Message message) {
        if (message.other() < 0 || message.other() >= stages.size() || message.other() == stage.number) {
            throw new SetViolationException(
                    Kind.MISMATCH,
                    stage.at(message) + " " + described(message) + ", " + toOrFrom(message) + " of " + stages.size());
        }
    }

    /** Up to where it waits for another; whether it has come further. */
    private boolean goOn(Standing stage) {
        int before = stage.next;
        while (stage.next < stage.program.events().size()) {
            switch (stage.program.events().get(stage.next)) {
                case Run _ -> {}
                // All ranks have the same plans, so that none waits for another that waits for it.
                case Exchange _ -> {
                    stage.begun.add(Optional.empty());
                    stage.place.add(-1);
                }
                case Message message -> begin(stage, message);
                case Await(int _, int number) -> {
                    if (!hasEnded(stage, number)) {
                        return stage.next > before;
                    }
                }
            }
            stage.next++;
        }
        return stage.next > before;
    }

    private void begin(Standing stage, Message message) {
        List<Message> own = stage.side(message);
        stage.place.add(own.size());
        stage.begun.add(Optional.of(message));
        own.add(message);
        Standing other = stages.get(message.other());
        List<Message> theirs = other.sideAgainst(message, stage.number);
        if (theirs.size() >= own.size()) {
            meet(stage, message, other, theirs.get(own.size() - 1));
        }
    }

    private static void meet(Standing stage, Message message, Standing other, Message theirs) {
        if (message.bytes() != theirs.bytes() || !message.name().equals(theirs.name())) {
            throw new SetViolationException(
                    Kind.MISMATCH,
                    stage.at(message) + " " + described(message) + " where " + other.at(theirs) + " "
                            + described(theirs));
        }
    }

    private boolean hasEnded(Standing stage, int number) {
        return stage.begun
                .get(number)
                .map(message -> stages.get(message.other())
                                .sideAgainst(message, stage.number)
                                .size()
                        > stage.place.get(number))
                .orElse(true);
    }

    /** Number of the message that a stage stands at, or that is open at its end; negative where there is none. */
    private int waitsFor(Standing stage) {
        if (stage.next < stage.program.events().size()
                && stage.program.events().get(stage.next) instanceof Await(int _, int number)) {
            return number;
        }
        for (int number = 0; number < stage.begun.size(); number++) {
            if (!hasEnded(stage, number)) {
                return number;
            }
        }
        return -1;
    }

    private String standstill(Standing stage, Message message) {
        Standing other = stages.get(message.other());
        int theirs = waitsFor(other);
        boolean ended = other.next == other.program.events().size();
        String does = theirs < 0 || ended
                ? "has come to its end behind step " + other.program.lastStep()
                : "waits at step " + other.program.events().get(other.next).step() + " for '"
                        + other.begun.get(theirs).orElseThrow().name() + "' "
                        + toOrFrom(other.begun.get(theirs).orElseThrow());
        return "stage " + stage.number + " waits for ever at step "
                + (stage.next < stage.program.events().size()
                        ? stage.program.events().get(stage.next).step()
                        : message.step())
                + " for '" + message.name() + "' " + toOrFrom(message) + ", which " + does;
    }

    private static String toOrFrom(Message message) {
        return switch (message) {
            case Send _ -> "to stage " + message.other();
            case Receive _ -> "from stage " + message.other();
        };
    }

    private static String described(Message message) {
        return switch (message) {
                    case Send _ -> "sends";
                    case Receive _ -> "takes";
                }
                + " '" + message.name() + "' of " + message.bytes() + " bytes";
    }

    /** How far a stage has come. */
    private static final class Standing {
        private final int number;
        private final StageProgram program;
        /** By the stage at the other end. */
        private final List<List<Message>> sent = new ArrayList<>();

        private final List<List<Message>> received = new ArrayList<>();
        /** Empty of an exchange with other ranks. */
        private final List<Optional<Message>> begun = new ArrayList<>();
        /** Of each of these, which it is of those between its two stages in its direction. */
        private final List<Integer> place = new ArrayList<>();

        private int next;

        Standing(int number, StageProgram program, int stages) {
            this.number = number;
            this.program = program;
            for (int other = 0; other < stages; other++) {
                sent.add(new ArrayList<>());
                received.add(new ArrayList<>());
            }
        }

        private List<Message> side(Message message) {
            return switch (message) {
                case Send _ -> sent.get(message.other());
                case Receive _ -> received.get(message.other());
            };
        }

        /** What is the other end of messages like that of another stage. */
        private List<Message> sideAgainst(Message message, int other) {
            return switch (message) {
                case Send _ -> received.get(other);
                case Receive _ -> sent.get(other);
            };
        }

        String at(Message message) {
            return "stage " + number + " at step " + message.step();
        }
    }
}
