package dev.remat.compiler.known;

import java.util.Optional;

/**
 * Keeps plans from one compilation to the next, by the hash of all that a plan follows from but remat itself, which is
 * for the store to tell apart. It never fails: what it cannot keep or find is searched for again.
 */
public interface PlanStore {
    /** For compilations of which nothing is to be kept. */
    PlanStore NONE = new PlanStore() {
        @Override
        public Optional<byte[]> find(String key) {
            return Optional.empty();
        }

        @Override
        public void keep(String key, byte[] plan) {}

        @Override
        public void drop(String key, String why) {}
    };

    /** What was kept under that key, whole as it was. */
    Optional<byte[]> find(String key);

    void keep(String key, byte[] plan);

    /** Whether what a search has found that was ended early is for this store, too. */
    default boolean keepsWhatWasEnded() {
        return false;
    }

    /** Forgets what {@link #find} has found, since it is no plan of the step. */
    void drop(String key, String why);
}
