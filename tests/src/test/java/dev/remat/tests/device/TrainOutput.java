package dev.remat.tests.device;

import dev.remat.tests.process.RematProcess.Result;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What {@code train --json} printed.
 *
 * @param stateHash empty if the run did not end by itself
 */
record TrainOutput(List<Float> losses, String stateHash) {
    private static final Pattern LOSS = Pattern.compile("\"loss\":([^,}]+)");
    private static final Pattern HASH = Pattern.compile("\"stateHash\":\"([0-9a-f]{64})\"");

    /** @throws AssertionError if the run has failed */
    static TrainOutput of(Result run) {
        if (run.exitCode() != 0) {
            throw new AssertionError("exit " + run.exitCode() + "\n" + run.out() + run.err());
        }
        List<Float> losses = LOSS.matcher(run.out())
                .results()
                .map(found -> Float.valueOf(found.group(1)))
                .toList();
        String hash = HASH.matcher(run.out())
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElse("");
        return new TrainOutput(losses, hash);
    }
}
