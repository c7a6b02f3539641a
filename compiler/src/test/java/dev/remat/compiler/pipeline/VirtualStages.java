package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Message;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Runs stages with a clock in place of kernels: time goes on from one thing that ends to the next. Of a message nothing
 * is known but what has happened so far.
 */
final class VirtualStages {
    /** Something that ends at a time. */
    private record Alarm(long at, int number, Runnable action) {}

    private record Letter(int from, int to, String name, long bytes, boolean[] arrived) {}

    private final List<StageProgram> programs;
    private final long latency;
    private final long nanosPerByte;
    /** Of the processor at either end, for each byte that goes through it. */
    private final long lostPerByte;

    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>(
            (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Integer.compare(a.number, b.number));
    private final List<Letter> posted = new ArrayList<>();
    private final List<Letter> wanted = new ArrayList<>();
    private final List<Letter> flying = new ArrayList<>();
    private final int[] at;
    private final boolean[] running;
    private final List<List<boolean[]>> own = new ArrayList<>();
    /** By stage: the exchange that runs, and those that wait for it. */
    private final List<Queue<Runnable>> exchanging = new ArrayList<>();

    private long now;
    private int numbers;
    private boolean wrong;

    VirtualStages(List<StageProgram> programs, long latency, long nanosPerByte, long lostPerByte) {
        this.programs = programs;
        this.latency = latency;
        this.nanosPerByte = nanosPerByte;
        this.lostPerByte = lostPerByte;
        at = new int[programs.size()];
        running = new boolean[programs.size()];
        programs.forEach(_ -> {
            own.add(new ArrayList<>());
            exchanging.add(new ArrayDeque<>());
        });
    }

    /** When all is over; empty if it never is, or somebody gets what he has not asked for. */
    Optional<Long> run() {
        advance();
        while (!alarms.isEmpty()) {
            Alarm alarm = alarms.remove();
            now = alarm.at;
            alarm.action.run();
            advance();
        }
        boolean over = posted.isEmpty() && wanted.isEmpty();
        for (int stage = 0; stage < at.length; stage++) {
            over &= at[stage] == programs.get(stage).events().size();
        }
        return over && !wrong ? Optional.of(now) : Optional.empty();
    }

    private void advance() {
        for (int stage = 0; stage < at.length; stage++) {
            while (!running[stage] && at[stage] < programs.get(stage).events().size() && act(stage)) {
                at[stage]++;
            }
        }
        deliver();
    }

    private boolean act(int stage) {
        switch (programs.get(stage).events().get(at[stage])) {
            case Run(int _, String _, long nanos) -> occupy(stage, nanos);
            case Exchange(int _, String _, long nanos, long bytes) -> {
                boolean[] ended = new boolean[1];
                own.get(stage).add(ended);
                exchanging
                        .get(stage)
                        .add(() -> alarms.add(new Alarm(now + nanos, numbers++, () -> {
                            ended[0] = true;
                            exchanging.get(stage).remove();
                            beginExchange(stage);
                        })));
                if (exchanging.get(stage).size() == 1) {
                    beginExchange(stage);
                }
                // As many come in.
                occupy(stage, 2 * lostPerByte * bytes);
            }
            case Message message -> {
                boolean[] arrived = new boolean[1];
                own.get(stage).add(arrived);
                switch (message) {
                    case Send send -> posted.add(new Letter(stage, send.other(), send.name(), send.bytes(), arrived));
                    case Receive take ->
                        wanted.add(new Letter(take.other(), stage, take.name(), take.bytes(), arrived));
                }
                occupy(stage, lostPerByte * message.bytes());
            }
            case Await(int _, int message) -> {
                return own.get(stage).get(message)[0];
            }
        }
        return true;
    }

    private void occupy(int stage, long nanos) {
        running[stage] = true;
        alarms.add(new Alarm(now + nanos, numbers++, () -> running[stage] = false));
    }

    private void beginExchange(int stage) {
        Optional.ofNullable(exchanging.get(stage).peek()).ifPresent(Runnable::run);
    }

    private void deliver() {
        for (int k = 0; k < posted.size(); k++) {
            Letter letter = posted.get(k);
            boolean busy = flying.stream().anyMatch(other -> other.from == letter.from && other.to == letter.to)
                    || posted.subList(0, k).stream()
                            .anyMatch(other -> other.from == letter.from && other.to == letter.to);
            Optional<Letter> taker = wanted.stream()
                    .filter(other -> other.from == letter.from && other.to == letter.to)
                    .findFirst();
            if (!busy && taker.isPresent()) {
                wrong |= letter.bytes != taker.get().bytes || !letter.name.equals(taker.get().name);
                posted.remove(k--);
                wanted.remove(taker.get());
                flying.add(letter);
                alarms.add(new Alarm(now + latency + nanosPerByte * letter.bytes, numbers++, () -> {
                    flying.remove(letter);
                    letter.arrived[0] = true;
                    taker.get().arrived[0] = true;
                }));
            }
        }
    }
}
