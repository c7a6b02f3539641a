package dev.remat.cli.runs;

import dev.remat.runtime.log.StepsTable;
import java.util.List;

/**
 * What became of a logged value over a run.
 *
 * @param count of steps that have it
 * @param least of its finite values, at the first step that has it; not a number where there is none
 * @param median the lower of the middle two where there are two
 * @param notFinite steps at which it is infinite or no number
 */
record ColumnSummary(
        String name,
        int count,
        double first,
        double last,
        double least,
        long leastStep,
        double greatest,
        long greatestStep,
        double mean,
        double median,
        int notFinite) {
    /** @param column with a value at least */
    static ColumnSummary of(StepsTable table, StepsTable.Column column) {
        List<Double> values = column.values();
        int least = -1;
        int greatest = -1;
        double sum = 0;
        for (int i = 0; i < values.size(); i++) {
            double value = values.get(i);
            if (Double.isFinite(value)) {
                least = least < 0 || value < values.get(least) ? i : least;
                greatest = greatest < 0 || value > values.get(greatest) ? i : greatest;
                sum += value;
            }
        }
        List<Double> finite = values.stream().filter(Double::isFinite).sorted().toList();
        return new ColumnSummary(
                column.name(),
                values.size(),
                values.getFirst(),
                values.getLast(),
                least < 0 ? Double.NaN : values.get(least),
                step(table, column, least),
                greatest < 0 ? Double.NaN : values.get(greatest),
                step(table, column, greatest),
                finite.isEmpty() ? Double.NaN : sum / finite.size(),
                finite.isEmpty() ? Double.NaN : finite.get((finite.size() - 1) / 2),
                values.size() - finite.size());
    }

    private static long step(StepsTable table, StepsTable.Column column, int index) {
        return index < 0 ? 0 : table.steps().get(column.rows().get(index));
    }
}
