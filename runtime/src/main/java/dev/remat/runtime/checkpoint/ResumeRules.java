package dev.remat.runtime.checkpoint;

import dev.remat.runtime.checkpoint.RunFacts.Change;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFacts.Rule;
import dev.remat.runtime.io.CorruptFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What a resumed run has in common with the one that it goes on from, and what it may change. */
public final class ResumeRules {
    private ResumeRules() {}

    /**
     * Compares a run with the one that a checkpoint is of.
     *
     * @param directory of the checkpoint
     * @param parts to compare; others may be unknown still
     * @param allowed to change, beside what always is
     * @return what a user should know that has changed
     * @throws CorruptFileException if something has changed that must not
     */
    public static List<String> check(
            Path directory, RunFacts before, RunFacts now, Set<Part> parts, Set<Part> allowed) {
        List<String> notes = new ArrayList<>();
        for (Change change : now.changesSince(before, parts)) {
            switch (change.part().rule()) {
                case SAME -> throw otherModel(directory, change);
                case SAME_UNLESS_ALLOWED -> {
                    if (!allowed.contains(change.part())) {
                        throw otherRun(directory, now.changesSince(before, allowable()), allowed);
                    }
                    notes.add(change.text());
                }
                case FREE -> notes.add(change.text());
            }
        }
        return notes;
    }

    /** Parts that a user may allow to change. */
    public static Set<Part> allowable() {
        return Arrays.stream(Part.values())
                .filter(part -> part.rule() == Rule.SAME_UNLESS_ALLOWED)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static CorruptFileException otherModel(Path directory, Change change) {
        String what = change.part() == Part.MODEL ? "the model has changed" : change.text();
        return new CorruptFileException(
                directory, "was trained with another model: " + what + "; its tensors can be taken with --init");
    }

    private static CorruptFileException otherRun(Path directory, List<Change> changes, Set<Part> allowed) {
        List<Change> refused = changes.stream()
                .filter(change -> !allowed.contains(change.part()))
                .toList();
        String what = refused.stream().map(Change::text).collect(Collectors.joining("; "));
        String parts =
                refused.stream().map(change -> change.part().label()).distinct().collect(Collectors.joining(","));
        return new CorruptFileException(
                directory, "is of another run: " + what + "; --allow-changed " + parts + " goes on all the same");
    }
}
