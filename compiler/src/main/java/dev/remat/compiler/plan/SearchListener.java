package dev.remat.compiler.plan;

import java.util.function.Supplier;

/**
 * Goes with a search: is told what is tried and what is proved, and is asked whether time is up. Searches may run side
 * by side, so every method may be called from several threads.
 */
public interface SearchListener {
    /** For a search that nobody follows and nothing ends early. */
    SearchListener NONE = what -> {};

    /** A search for a budget begins, whose plans are told from here on. */
    default void within(long budgetBytes) {}

    /** @param what in a few words what is being tried */
    void trying(String what);

    /** A bound on the cost of every plan within the budget that was asked for. */
    default void proved(LowerBound bound) {}

    /** A sequence of the problem that was asked about; it need not be the best so far, nor within the budget. */
    default void found(Proposal proposal) {}

    /** What a sequence takes when it is laid out. */
    default void measured(Proposal proposal, long bytes) {}

    /** So much has been done since the last time: one for each node or edge that was passed, or what takes as long. */
    default void worked(long amount) {}

    /** Whether the search should end with the best it has. */
    default boolean expired() {
        return false;
    }

    /**
     * Lets a trial go on that takes longer than a moment; {@link BestSequence#attempt} ends it else.
     *
     * @throws TimeIsUpException if the search should end
     */
    default void check() {
        if (expired()) {
            throw new TimeIsUpException();
        }
    }

    /**
     * Does what the answer will go through once more after the search, such as being laid out and checked: a search
     * with a time limit ends by as much earlier as that takes.
     */
    default <T> T rehearse(Supplier<T> work) {
        return work.get();
    }

    /** For a search that proves nothing and that others follow: of the time that is left it has half. */
    default SearchListener halfOfRest() {
        return this;
    }

    /**
     * The same for a search whose proofs and finds say nothing about what this one follows, since it is for less memory
     * or of another problem.
     */
    default SearchListener withoutProofs() {
        return new ForwardingListener(this) {
            @Override
            public void proved(LowerBound bound) {}

            @Override
            public void found(Proposal proposal) {}
        };
    }
}
