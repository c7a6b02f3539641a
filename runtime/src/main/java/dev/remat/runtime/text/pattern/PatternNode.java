package dev.remat.runtime.text.pattern;

import java.util.List;
import java.util.function.IntPredicate;

/** An expression as it is written. */
sealed interface PatternNode {
    /** One code point of a set. */
    record One(IntPredicate set) implements PatternNode {}

    /** One after the other; nothing if there are none. */
    record Series(List<PatternNode> parts) implements PatternNode {}

    /** The first that leads to a match. */
    record Choice(List<PatternNode> parts) implements PatternNode {}

    /** @param most -1 where there is no bound */
    record Repeat(PatternNode part, int least, int most, boolean lazy) implements PatternNode {}

    /** Whether the next code point is of the set; at the end there is none. */
    record Look(IntPredicate set, boolean negative) implements PatternNode {}
}
