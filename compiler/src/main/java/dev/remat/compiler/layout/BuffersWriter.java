package dev.remat.compiler.layout;

import dev.remat.compiler.layout.PackProblem.Row;
import java.util.List;

/** Writes buffers with their offsets as comma-separated values, in the order in which they were given. */
public final class BuffersWriter {
    private BuffersWriter() {}

    /** @param offsets one a buffer */
    public static String write(PackProblem problem, List<Long> offsets) {
        boolean aligned = problem.rows().stream().anyMatch(row -> row.alignment() > 1);
        StringBuilder text = new StringBuilder("id,lower,upper,size,");
        text.append(aligned ? "alignment,offset\n" : "offset\n");
        for (int i = 0; i < offsets.size(); i++) {
            Row row = problem.rows().get(i);
            text.append(row.id())
                    .append(',')
                    .append(row.lower())
                    .append(',')
                    .append(row.upper())
                    .append(',')
                    .append(row.size())
                    .append(',');
            if (aligned) {
                text.append(row.alignment()).append(',');
            }
            text.append(offsets.get(i)).append('\n');
        }
        return text.toString();
    }
}
