package dev.remat.runtime.text.pattern;

import dev.remat.runtime.io.DataException;
import dev.remat.runtime.text.pattern.PatternProgram.Instruction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A regular expression whose matches part a text. States of its machine are kept as they are met, and code points that
 * no set tells apart are one, so that a code point takes one look into a table. Matches are those of an engine that
 * backtracks, but every one is found in time linear in what is looked at.
 */
public final class SplitPattern {
    /** What is found one after the other; ends are exclusive. */
    public interface Spans {
        void found(int begin, int end, boolean isMatch);
    }

    private static final int DEAD = 0;
    private static final int UNKNOWN = -1;
    private static final int MAX_STATES = 2000;
    private static final int BLOCK = 256;
    /** Looks at the text, as a multiple of its length, beyond which matching is given up. */
    private static final long MAX_LOOKS = 100;

    private static final long FREE_LOOKS = 1 << 20;

    private final String written;
    private final PatternProgram program;
    /** Kind of a code point, by block and place; kind 0 is the end of the text. */
    private final int[][] kinds = new int[Character.MAX_CODE_POINT / BLOCK + 1][];

    private final Map<BitSet, Integer> kindBySets = new HashMap<>();
    private final List<BitSet> setsOfKind = new ArrayList<>(List.of(new BitSet()));
    private final Map<List<Integer>, Integer> stateByThreads = new HashMap<>();
    private final List<List<Integer>> threads = new ArrayList<>();
    /** By state and kind: twice the state after it, and one more if a match has ended before it. */
    private int[][] transitions = new int[16][];

    private long looks;
    private long most;

    private SplitPattern(String written, PatternProgram program) {
        this.written = written;
        this.program = program;
        forget();
    }

    /** @throws IllegalArgumentException if it is no expression, or has what is not supported; says what and where */
    public static SplitPattern of(String expression) {
        return new SplitPattern(expression, new PatternProgram(PatternParser.parse(expression)));
    }

    /** Matches the text itself. */
    public static SplitPattern ofText(String text) {
        return new SplitPattern(
                text,
                new PatternProgram(new PatternNode.Series(text.codePoints()
                        .<PatternNode>mapToObj(c -> new PatternNode.One(p -> p == c))
                        .toList())));
    }

    /** Matches one code point of a set. */
    public static SplitPattern ofSet(IntPredicate set) {
        return new SplitPattern("", new PatternProgram(new PatternNode.One(set)));
    }

    /**
     * Parts the text into matches and what lies between them; empty matches are none.
     *
     * @throws DataException if that takes more looks than a hundred at every character
     */
    public synchronized void split(String text, Spans spans) {
        looks = 0;
        most = FREE_LOOKS + MAX_LOOKS * text.length();
        int done = 0;
        int from = 0;
        while (from < text.length()) {
            int end = match(text, from);
            if (end > from) {
                if (done < from) {
                    spans.found(done, from, false);
                }
                spans.found(from, end, true);
                done = end;
                from = end;
            } else {
                from += Character.charCount(text.codePointAt(from));
            }
        }
        if (done < text.length()) {
            spans.found(done, text.length(), false);
        }
    }

    /** Where the match that begins at a place ends; -1 if there is none. */
    private int match(String text, int from) {
        int end = -1;
        int at = from;
        int state = state(List.of(program.start()));
        while (true) {
            boolean ended = at >= text.length();
            int c = ended ? 0 : text.codePointAt(at);
            int next = next(state, ended ? 0 : kind(c));
            if ((next & 1) != 0) {
                end = at;
            }
            state = next >>> 1;
            looks++;
            if (looks > most) {
                throw new DataException("the tokenizer's expression '" + written + "' looks more than " + MAX_LOOKS
                        + " times at every character of the text; it suits no long text");
            }
            if (ended || state == DEAD) {
                return end;
            }
            at += Character.charCount(c);
        }
    }

    private int next(int state, int kind) {
        int[] row = transitions[state];
        if (kind >= row.length) {
            int[] wider = Arrays.copyOf(row, setsOfKind.size());
            Arrays.fill(wider, row.length, wider.length, UNKNOWN);
            transitions[state] = wider;
            row = wider;
        }
        if (row[kind] != UNKNOWN) {
            return row[kind];
        }
        List<Integer> after = new ArrayList<>();
        boolean matched = follow(threads.get(state), setsOfKind.get(kind), after);
        if (stateByThreads.size() >= MAX_STATES) {
            forget();
            return 2 * state(after) + (matched ? 1 : 0);
        }
        row[kind] = 2 * state(after) + (matched ? 1 : 0);
        return row[kind];
    }

    /**
     * Where threads go with the next code point, those first that come first; whether one has matched before it, which
     * ends those after it.
     */
    private boolean follow(List<Integer> before, BitSet sets, List<Integer> after) {
        BitSet seen = new BitSet(program.size());
        BitSet added = new BitSet(program.size());
        ArrayDeque<Integer> open = new ArrayDeque<>();
        for (int thread : before) {
            open.push(thread);
            while (!open.isEmpty()) {
                int number = open.pop();
                if (seen.get(number)) {
                    continue;
                }
                seen.set(number);
                looks++;
                Instruction instruction = program.instruction(number);
                boolean member = sets.get(instruction.set());
                switch (instruction.code()) {
                    case ONE -> {
                        if (member && !added.get(instruction.to())) {
                            added.set(instruction.to());
                            after.add(instruction.to());
                        }
                    }
                    case EITHER -> {
                        open.push(instruction.other());
                        open.push(instruction.to());
                    }
                    case AHEAD -> {
                        if (member) {
                            open.push(instruction.to());
                        }
                    }
                    case NOT_AHEAD -> {
                        if (!member) {
                            open.push(instruction.to());
                        }
                    }
                    case MATCH -> {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private int state(List<Integer> wanted) {
        Integer known = stateByThreads.get(wanted);
        if (known != null) {
            return known;
        }
        int state = threads.size();
        if (state == transitions.length) {
            transitions = Arrays.copyOf(transitions, 2 * state);
        }
        transitions[state] = new int[0];
        threads.add(wanted);
        stateByThreads.put(wanted, state);
        return state;
    }

    private void forget() {
        stateByThreads.clear();
        threads.clear();
        state(List.of());
    }

    private int kind(int c) {
        int[] block = kinds[c / BLOCK];
        if (block == null) {
            block = new int[BLOCK];
            kinds[c / BLOCK] = block;
        }
        int kind = block[c % BLOCK];
        if (kind == 0) {
            BitSet sets = new BitSet();
            for (int i = 0; i < program.sets().size(); i++) {
                sets.set(i, program.sets().get(i).test(c));
            }
            kind = kindBySets.computeIfAbsent(sets, found -> {
                setsOfKind.add(found);
                return setsOfKind.size() - 1;
            });
            block[c % BLOCK] = kind;
        }
        return kind;
    }
}
