package dev.remat.runtime.text;

import java.util.Map;
import java.util.PriorityQueue;

/** Joins pairs of tokens, always the pair first that was learned first; of equal ones the left one. */
final class BytePairs {
    private static final int NONE = -1;
    private static final long LOW = 0xffffffffL;

    private final Map<Long, Long> pairs;

    /** @param pairs rank and token of what they become, by left and right token; each high and low half of a long */
    BytePairs(Map<Long, Long> pairs) {
        this.pairs = pairs;
    }

    int[] join(int[] tokens) {
        return tokens.length < 2 ? tokens : new Joining(tokens).join();
    }

    private static long of(int high, int low) {
        return (long) high << Integer.SIZE | low & LOW;
    }

    private final class Joining {
        private final int[] tokens;
        private final int[] previous;
        private final int[] next;
        /** Rank, and the place of the left token. */
        private final PriorityQueue<Long> open = new PriorityQueue<>();

        private Joining(int[] tokens) {
            this.tokens = tokens;
            this.previous = new int[tokens.length];
            this.next = new int[tokens.length];
            for (int i = 0; i < tokens.length; i++) {
                previous[i] = i - 1;
                next[i] = i + 1 < tokens.length ? i + 1 : NONE;
            }
        }

        private int[] join() {
            for (int i = 0; i + 1 < tokens.length; i++) {
                offer(i);
            }
            for (Long best = open.poll(); best != null; best = open.poll()) {
                int left = (int) (best & LOW);
                Long joined = pair(left);
                if (joined != null && joined >>> Integer.SIZE == best >>> Integer.SIZE) {
                    int right = next[left];
                    tokens[left] = (int) (joined & LOW);
                    tokens[right] = NONE;
                    next[left] = next[right];
                    if (next[left] != NONE) {
                        previous[next[left]] = left;
                    }
                    if (previous[left] != NONE) {
                        offer(previous[left]);
                    }
                    offer(left);
                }
            }
            TokenList all = new TokenList();
            for (int i = 0; i != NONE; i = next[i]) {
                all.add(tokens[i]);
            }
            return all.toArray();
        }

        /** What a token and the one after it become; null if they stay, or the token was joined to one before. */
        private Long pair(int left) {
            return next[left] == NONE || tokens[left] == NONE ? null : pairs.get(of(tokens[left], tokens[next[left]]));
        }

        private void offer(int left) {
            Long joined = pair(left);
            if (joined != null) {
                open.add(of((int) (joined >>> Integer.SIZE), left));
            }
        }
    }
}
