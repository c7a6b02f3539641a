package dev.remat.compiler.pipeline;

/** What a stage does, as far as others can notice or it takes time. */
public sealed interface StageEvent {
    /** Of the stage's plan, for messages. */
    int step();

    /** Computes. */
    record Run(int step, String name, long nanos) implements StageEvent {}

    /** What runs beside kernels: begins, and has ended where it is awaited. */
    sealed interface Beside extends StageEvent {
        String name();
    }

    /**
     * Something that ranks exchange with the same stage of each other, one behind the other as they all come to it.
     *
     * @param bytes that a rank sends
     */
    record Exchange(int step, String name, long nanos, long bytes) implements Beside {}

    /** Bytes that go to one other stage; begins without waiting for it. */
    sealed interface Message extends Beside {
        /** The stage at the other end. */
        int other();

        long bytes();
    }

    /** Has something for another stage, in front of which nothing may write over it before it has ended. */
    record Send(int step, String name, int other, long bytes) implements Message {}

    /** Has room for what another stage sends. */
    record Receive(int step, String name, int other, long bytes) implements Message {}

    /**
     * Goes on when something beside kernels has ended.
     *
     * @param begun its number among those of the stage, from 0 in the order in which they begin
     */
    record Await(int step, int begun) implements StageEvent {}
}
