package dev.remat.compiler.onnx.statement;

import dev.remat.ir.Dim;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.regex.Pattern;

/**
 * What is known of open extents: each begins as a symbol of its own, and symbols that operators need to be equal become
 * one. After that the model has to be written anew.
 */
public final class Symbols {
    /** Two extents have become one. */
    public static final class Joined extends RuntimeException {
        private Joined(String message) {
            super(message, null, false, false);
        }
    }

    private static final Pattern SYMBOL = Pattern.compile("[A-Za-z_]\\w*(?!\\w*\\()");

    private final SequencedMap<Dim, Dim> known = new LinkedHashMap<>();

    /** The extent in terms of the symbols that are left. */
    public Dim resolve(Dim dim) {
        Dim resolved = dim;
        for (var each : known.entrySet()) {
            resolved = resolved.replace(each.getKey(), each.getValue());
        }
        return resolved;
    }

    /**
     * Makes two extents equal.
     *
     * @throws Joined if they are by now, which changes what has been written
     * @throws RefusedException if they never are
     */
    public Dim join(Dim a, Dim b) {
        if (a.equals(b)) {
            return a;
        }
        if (isSymbol(b) && !a.mentions(b)) {
            known.put(b, a);
        } else if (isSymbol(a) && !b.mentions(a)) {
            known.put(a, b);
        } else {
            throw new RefusedException(
                    RefusedException.Kind.DETAIL,
                    "the extents " + a + " and " + b + " meet, which are not the same",
                    a.isConstant() && b.isConstant()
                            ? ""
                            : "--set gives its symbols numbers for which they are, such as --set H=64,W=64");
        }
        throw new Joined(a + " is " + b);
    }

    /** Names of the symbols that an extent is made of. */
    public static SequencedSet<String> of(Dim dim) {
        return of(dim.toString());
    }

    /** The same of an extent as it is written. */
    public static SequencedSet<String> of(String dim) {
        SequencedSet<String> names = new LinkedHashSet<>();
        SYMBOL.matcher(dim).results().forEach(match -> names.add(match.group()));
        return names;
    }

    /** Whether it is a symbol and nothing else. */
    public static boolean isSymbol(Dim dim) {
        return dim.toString().matches("[A-Za-z_]\\w*");
    }

    /** The extent of axes that repeat as NumPy's do. */
    public Dim broadcast(Dim a, Dim b) {
        return a.is(1) ? b : b.is(1) ? a : join(a, b);
    }
}
