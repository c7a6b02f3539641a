package dev.remat.runtime.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** Joins characters to longer pieces, always the pair first that was learned first (Sennrich et al., 2016). */
final class BytePairs {
    /** Two pieces that can be joined; of equal rank the left ones first. */
    private record Pair(int rank, int left, int right, String joined) implements Comparable<Pair> {
        @Override
        public int compareTo(Pair other) {
            return rank != other.rank ? Integer.compare(rank, other.rank) : Integer.compare(left, other.left);
        }
    }

    private static final int NONE = -1;

    private final Map<String, Integer> ranks;
    private final String[] pieces;
    private final int[] previous;
    private final int[] next;
    private final PriorityQueue<Pair> pairs = new PriorityQueue<>();

    private BytePairs(Map<String, Integer> ranks, String word) {
        this.ranks = ranks;
        this.pieces = word.split("");
        this.previous = new int[pieces.length];
        this.next = new int[pieces.length];
        for (int i = 0; i < pieces.length; i++) {
            previous[i] = i - 1;
            next[i] = i + 1 < pieces.length ? i + 1 : NONE;
        }
    }

    /** @param ranks of the pairs that were learned, each written as two pieces with a space between */
    static List<String> join(Map<String, Integer> ranks, String word) {
        return word.isEmpty() ? List.of() : new BytePairs(ranks, word).join();
    }

    private List<String> join() {
        for (int i = 0; i + 1 < pieces.length; i++) {
            offer(i, i + 1);
        }
        for (Pair pair = pairs.poll(); pair != null; pair = pairs.poll()) {
            boolean present = pieces[pair.left] != null
                    && next[pair.left] == pair.right
                    && pair.joined.equals(pieces[pair.left] + pieces[pair.right]);
            if (present) {
                pieces[pair.left] = pair.joined;
                pieces[pair.right] = null;
                next[pair.left] = next[pair.right];
                if (next[pair.left] != NONE) {
                    previous[next[pair.left]] = pair.left;
                }
                offer(previous[pair.left], pair.left);
                offer(pair.left, next[pair.left]);
            }
        }
        List<String> joined = new ArrayList<>();
        for (int i = 0; i != NONE; i = next[i]) {
            joined.add(pieces[i]);
        }
        return joined;
    }

    private void offer(int left, int right) {
        if (left != NONE && right != NONE) {
            Integer rank = ranks.get(pieces[left] + " " + pieces[right]);
            if (rank != null) {
                pairs.add(new Pair(rank, left, right, pieces[left] + pieces[right]));
            }
        }
    }
}
