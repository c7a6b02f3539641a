package dev.remat.cli.runs;

import dev.remat.cli.view.PlanFile;
import dev.remat.runtime.log.RunLog;
import dev.remat.runtime.log.StepsTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A run by its log.
 *
 * @param name that tells it from the others of a report
 * @param plan that it ran, where the log says
 */
record LoggedRun(String name, Path folder, StepsTable table, Optional<PlanFile> plan) {
    /** What {@code train --log} tells of a step's time. */
    static final String MILLIS = "millis";

    /**
     * Reads logs, in the order of the folders.
     *
     * @throws IOException if a folder is missing or has no log
     * @throws dev.remat.runtime.io.CorruptFileException if a log is damaged
     */
    static List<LoggedRun> read(List<Path> folders) throws IOException {
        List<LoggedRun> runs = new ArrayList<>();
        for (Path folder : folders) {
            StepsTable table = StepsTable.read(folder);
            Path plan = folder.resolve(RunLog.PLAN);
            Optional<PlanFile> planned = Files.exists(plan) ? Optional.of(PlanFile.read(plan)) : Optional.empty();
            runs.add(new LoggedRun(name(folder, folders), folder, table, planned));
        }
        return runs;
    }

    /** The folder's own name where that is enough. */
    private static String name(Path folder, List<Path> all) {
        String last = last(folder);
        long same = all.stream().filter(other -> last(other).equals(last)).count();
        return same == 1 ? last : folder.toString();
    }

    private static String last(Path folder) {
        Path name = folder.toAbsolutePath().normalize().getFileName();
        return name == null ? folder.toString() : name.toString();
    }

    /** Every name that was logged, steps without a value left out. */
    List<ColumnSummary> columns() {
        return table.columns().stream()
                .filter(column -> !column.values().isEmpty())
                .map(column -> ColumnSummary.of(table, column))
                .toList();
    }

    /** The middle of the times, in milliseconds, of the steps that its plan made; of all where the log does not say. */
    Optional<Double> medianMillis() {
        return table.column(MILLIS)
                .map(column -> column.from(firstPlanned()))
                .filter(column -> !column.values().isEmpty())
                .map(column -> ColumnSummary.of(table, column).median());
    }

    /** Index of the first step that its plan made: a run that goes on may be planned anew. */
    private int firstPlanned() {
        long first = plan.map(PlanFile::fromStep).orElse(OptionalLong.empty()).orElse(0);
        return (int) table.steps().stream().takeWhile(step -> step < first).count();
    }

    /** Whether steps of other plans were logged before. */
    boolean isPlannedAnew() {
        return firstPlanned() > 0;
    }

    /** What the plan's cost model expects of a step, in milliseconds. */
    Optional<Double> predictedMillis() {
        return plan.flatMap(planned -> planned.digest().millis().isPresent()
                ? Optional.of(planned.digest().millis().getAsDouble())
                : Optional.empty());
    }
}
