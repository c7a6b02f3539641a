package dev.remat.ir.execution;

/** Where kernels meet transfers: before one of the steps of a plan, or behind the last. */
public sealed interface TransferEvent {
    /** The step that follows; as many as there are steps where none does. */
    int before();

    /** A transfer may begin, as soon as its lane is free and what it waits for has ended. */
    record Begin(int before, Transfer transfer) implements TransferEvent {}

    /**
     * Kernels wait until a transfer has ended.
     *
     * @param transfer its number among all that begin
     */
    record Await(int before, int transfer) implements TransferEvent {}
}
