package dev.remat.runtime.log;

import dev.remat.ir.io.AtomicFile;
import dev.remat.runtime.checkpoint.HeldFolder;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.io.CorruptFileException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.LongFunction;

/**
 * The folder that a run logs to: a table {@code steps.csv}, an event file for every process that the run has had, and
 * what the run was planned to do, where that is known.
 * Nothing in it changes before the first step is logged, and nothing but that at any time.
 */
public final class RunLog implements Closeable {
    /** What was planned, beside the table. */
    public static final String PLAN = "steps.plan.json";

    private final Path folder;
    private final HeldFolder held;
    private final Existing existing;
    private final StepsCsv table;
    private Optional<LongFunction<byte[]>> plan = Optional.empty();
    private Optional<EventFile> events = Optional.empty();

    private RunLog(Path folder, HeldFolder held, Existing existing, StepsCsv table) {
        this.folder = folder;
        this.held = held;
        this.existing = existing;
        this.table = table;
    }

    /**
     * Takes a folder, and makes it if it is missing.
     *
     * @param existing what may become of a log that is there
     * @param command what the user typed, for whoever finds the folder taken
     * @throws FileSystemException if another run logs there, if it holds a log that must be kept or another file of the
     *     table's name, or if it takes no files
     * @throws CorruptFileException if the table there is none
     */
    public static RunLog open(Path folder, Existing existing, String command) throws IOException {
        HeldFolder held = HeldFolder.take(folder, HeldFolder.Use.LOG, command);
        try {
            StepsCsv table = StepsCsv.open(folder);
            if (existing == Existing.KEEP && table.lastStep().isPresent()) {
                throw new FileSystemException(
                        folder.toString(),
                        null,
                        "holds the log of a run up to step " + table.lastStep().get()
                                + "; go on with that by --resume, log to another folder, or replace it with"
                                + " --overwrite");
            }
            return new RunLog(folder, held, existing, table);
        } catch (IOException | RuntimeException e) {
            try (held) {
                throw e;
            }
        }
    }

    /** As it was named. */
    public Path path() {
        return folder;
    }

    /** Whether other runs are kept away, which takes a file system that has locks. */
    public boolean isExclusive() {
        return held.isExclusive();
    }

    /**
     * What is said of the plan from the first step on, in place of what is said of another.
     *
     * @param planned by that step
     */
    public void describe(LongFunction<byte[]> planned) {
        plan = Optional.of(planned);
    }

    /**
     * Logs a step. The first takes the place of what the folder says of it and of later ones: a run that was killed
     * may have logged more than it has saved.
     *
     * @param values by name; whole numbers as {@link Long}, others as {@link Double}
     */
    public void append(long step, SequencedMap<String, Number> values) throws IOException {
        if (events.isEmpty()) {
            begin(step);
        }
        table.append(step, values);
        events.orElseThrow().append(step, values);
    }

    private void begin(long step) throws IOException {
        if (existing == Existing.OVERWRITE) {
            table.clear();
            for (Path earlier : EventFile.in(folder)) {
                Files.deleteIfExists(earlier);
            }
        }
        if (plan.isPresent()) {
            AtomicFile.writeOwn(folder.resolve(PLAN), plan.get().apply(step));
        } else {
            Files.deleteIfExists(folder.resolve(PLAN));
        }
        EventFile file = EventFile.create(folder);
        events = Optional.of(file);
        // A run that begins has no points to hide, but the folder may have those of another program.
        if (step > 1) {
            file.restart(step);
        }
    }

    @Override
    public void close() throws IOException {
        try (held;
                table) {
            if (events.isPresent()) {
                events.get().close();
            }
        }
    }
}
