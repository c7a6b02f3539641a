package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.SetTimes.StageTimes;
import dev.remat.compiler.pipeline.SetTimes.Wait;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Beside;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long a set of stages takes. A stage does one thing after another; a message is on its way from when both ends
 * have begun it and the one before it from this stage to that has arrived, for as long as the link says. Ranks are
 * taken to come to an exchange at once, which runs when the one before it of the same stage has ended. What kernels
 * lose to what is moved beside them passes where that begins.
 */
public final class SetTimeline {
    /** When both ends of a message begin, and when it or an exchange has ended; negative while that is not known. */
    private static final class Transfer {
        private long sent = -1;
        private long taken = -1;
        private long ended = -1;
    }

    /** How far a stage has come. */
    private final class Clock {
        private final int number;
        private final StageProgram program;
        private final List<Long> begins = new ArrayList<>();
        private final List<Long> ends = new ArrayList<>();
        private final List<Transfer> begun = new ArrayList<>();
        private final List<Wait> waits = new ArrayList<>();
        private final List<Beside> beside;
        private long exchanged;
        private long now;
        private long busy;
        private long lost;

        Clock(int number, StageProgram program) {
            this.number = number;
            this.program = program;
            this.beside = program.begun();
        }

        boolean isDone() {
            return begins.size() == program.events().size();
        }

        /** Up to a message that may be on its way for longer than is known yet; whether it has come further. */
        boolean goOn() {
            int before = begins.size();
            while (!isDone()) {
                StageEvent event = program.events().get(begins.size());
                long begin = now;
                switch (event) {
                    case Run(int _, String _, long nanos) -> {
                        busy += nanos;
                        now += nanos;
                    }
                    case Message message -> begin(message);
                    case Exchange(int _, String _, long nanos, long bytes) -> {
                        Transfer transfer = new Transfer();
                        transfer.ended = Math.max(now, exchanged) + nanos;
                        exchanged = transfer.ended;
                        begun.add(transfer);
                        lose(link.lostToExchange(bytes));
                    }
                    case Await(int step, int number) -> {
                        long ended = begun.get(number).ended;
                        if (ended < 0) {
                            return begins.size() > before;
                        }
                        if (ended > now) {
                            waits.add(new Wait(step, beside.get(number), ended - now));
                            now = ended;
                        }
                    }
                }
                begins.add(begin);
                ends.add(now);
            }
            return begins.size() > before;
        }

        private void begin(Message message) {
            boolean sends = message instanceof Send;
            Transfer transfer = channel(sends ? number : message.other(), sends ? message.other() : number)
                    .next(sends);
            begun.add(transfer);
            if (sends) {
                transfer.sent = now;
            } else {
                transfer.taken = now;
            }
            channel(sends ? number : message.other(), sends ? message.other() : number)
                    .end(message.bytes());
            lose(link.lostToMessage(message.bytes()));
        }

        private void lose(long nanos) {
            lost += nanos;
            now += nanos;
        }

        StageTimes times() {
            int number = 0;
            for (int k = 0; k < program.events().size(); k++) {
                if (program.events().get(k) instanceof Beside) {
                    ends.set(k, begun.get(number++).ended);
                }
            }
            waits.sort(Comparator.comparingLong((Wait wait) -> -wait.nanos()).thenComparingInt(Wait::step));
            return new StageTimes(begins, ends, busy, lost, waits);
        }
    }

    /** Messages from one stage to another. */
    private final class Channel {
        private final List<Transfer> transfers = new ArrayList<>();
        private int sends;
        private int takes;
        private int ended;

        Transfer next(boolean sends) {
            int at = sends ? this.sends++ : takes++;
            if (at == transfers.size()) {
                transfers.add(new Transfer());
            }
            return transfers.get(at);
        }

        /** @param bytes of the message that has just begun at one of its ends */
        void end(long bytes) {
            if (ended < Math.min(sends, takes)) {
                Transfer transfer = transfers.get(ended);
                long free = ended == 0 ? 0 : transfers.get(ended - 1).ended;
                transfer.ended = Math.max(free, Math.max(transfer.sent, transfer.taken))
                        + (long) Math.ceil(link.nanos(2, bytes));
                ended++;
            }
        }
    }

    private final Link link;
    private final List<Clock> clocks = new ArrayList<>();
    private final Map<Integer, Channel> channels = new TreeMap<>();

    private SetTimeline(List<StageProgram> programs, Link link) {
        this.link = link;
        for (StageProgram program : programs) {
            clocks.add(new Clock(clocks.size(), program));
        }
    }

    /**
     * @param programs by stage
     * @param link between any two stages, in each direction by itself
     * @throws SetViolationException if they do not go together, as {@link SetChecker} says
     */
    public static SetTimes of(List<StageProgram> programs, Link link) {
        SetChecker.check(programs);
        return new SetTimeline(programs, link).run();
    }

    private SetTimes run() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Clock clock : clocks) {
                moved |= clock.goOn();
            }
        }
        List<StageTimes> stages = clocks.stream().map(Clock::times).toList();
        long makespan = 0;
        for (int stage = 0; stage < stages.size(); stage++) {
            makespan = Math.max(makespan, clocks.get(stage).now);
            for (long end : stages.get(stage).ends()) {
                makespan = Math.max(makespan, end);
            }
        }
        return new SetTimes(makespan, stages);
    }

    private Channel channel(int from, int to) {
        return channels.computeIfAbsent(from * clocks.size() + to, _ -> new Channel());
    }
}
