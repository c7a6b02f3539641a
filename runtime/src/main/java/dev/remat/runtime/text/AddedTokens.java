package dev.remat.runtime.text;

import dev.remat.runtime.text.pattern.CodePoints;
import java.util.HashMap;
import java.util.Map;

/** Texts that are a token wherever they stand; of two that begin at one place the longer. */
final class AddedTokens {
    /** What is found, one after the other. */
    interface Parts {
        /** A part without added tokens, and whether the text begins with it. */
        void text(String text, boolean isFirst);

        void token(int number);
    }

    /**
     * One of them.
     *
     * @param isWord whether it stands between no letters and digits
     * @param takesLeft whether the white space before it is a part of it
     * @param takesRight whether that after it is
     */
    record Added(int number, boolean isWord, boolean takesLeft, boolean takesRight) {}

    /** What texts that begin alike go on with. */
    private static final class Node {
        private final Map<Character, Node> next = new HashMap<>();
        private Added added;
    }

    private final Node root = new Node();

    /** @param text not empty */
    void add(String text, Added added) {
        Node node = root;
        for (int i = 0; i < text.length(); i++) {
            node = node.next.computeIfAbsent(text.charAt(i), _ -> new Node());
        }
        node.added = added;
    }

    void split(String text, boolean isFirst, Parts parts) {
        int done = 0;
        for (int at = 0; at < text.length(); ) {
            int end = at;
            Added found = null;
            Node node = root.next.get(text.charAt(at));
            for (int i = at + 1; node != null; node = i < text.length() ? node.next.get(text.charAt(i)) : null, i++) {
                if (node.added != null) {
                    found = node.added;
                    end = i;
                }
            }
            if (found == null) {
                at++;
                continue;
            }
            if (!found.isWord || isWord(text, at, end)) {
                int begin = found.takesLeft ? spacesBefore(text, at, done) : at;
                end = found.takesRight ? spacesAfter(text, end) : end;
                if (done < begin) {
                    parts.text(text.substring(done, begin), isFirst && done == 0);
                }
                parts.token(found.number);
                done = end;
            }
            at = end;
        }
        if (done < text.length()) {
            parts.text(text.substring(done), isFirst && done == 0);
        }
    }

    private static boolean isWord(String text, int begin, int end) {
        return (begin == 0 || !CodePoints.WORD.test(text.codePointBefore(begin)))
                && (end == text.length() || !CodePoints.WORD.test(text.codePointAt(end)));
    }

    private static int spacesBefore(String text, int from, int least) {
        int begin = from;
        while (begin > least && CodePoints.SPACE.test(text.charAt(begin - 1))) {
            begin--;
        }
        return begin;
    }

    private static int spacesAfter(String text, int from) {
        int end = from;
        while (end < text.length() && CodePoints.SPACE.test(text.charAt(end))) {
            end++;
        }
        return end;
    }
}
