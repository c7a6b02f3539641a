package dev.remat.ir.diagnostic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects findings, so that one run reports several: up to {@link #LIMIT}, and one at a location. */
public final class Diagnostics {
    /** Findings that one run reports at most. */
    public static final int LIMIT = 20;

    /** The order of places within a file. */
    public static final Comparator<Location> BY_PLACE =
            Comparator.comparingInt(Location::line).thenComparingInt(Location::column);

    private final Map<Location, Diagnostic> found = new LinkedHashMap<>();

    /** Keeps the finding unless another one is already known at its location or the limit is reached. */
    public void add(Diagnostic diagnostic) {
        if (!isFull()) {
            found.putIfAbsent(diagnostic.location(), diagnostic);
        }
    }

    /** Whether anything has been found on that line: what else is odd about it may follow from that. */
    public boolean mentions(String file, int line) {
        return found.keySet().stream()
                .anyMatch(location -> location.line() == line && location.file().equals(file));
    }

    public boolean isFull() {
        return found.size() >= LIMIT;
    }

    /** Number of findings kept. */
    public int count() {
        return found.size();
    }

    public boolean hasErrors() {
        return found.values().stream().anyMatch(Diagnostic::isError);
    }

    /** File by file in the order the files were first met, within a file by location. */
    public List<Diagnostic> inOrder() {
        Map<String, List<Diagnostic>> files = new LinkedHashMap<>();
        for (Diagnostic diagnostic : found.values()) {
            files.computeIfAbsent(diagnostic.location().file(), file -> new ArrayList<>())
                    .add(diagnostic);
        }
        files.values().forEach(list -> list.sort(Comparator.comparing(Diagnostic::location, BY_PLACE)));
        return files.values().stream().flatMap(List::stream).toList();
    }

    /** @throws ModelException with everything found, if any of it is an error */
    public void throwIfErrors() {
        if (hasErrors()) {
            throw new ModelException(inOrder());
        }
    }
}
