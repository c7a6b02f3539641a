package dev.remat.tests.promises;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.tests.promises.TrialRun.Outcome;

/** What two steps in chunks come to, as text, for processes with other classes than the tests' own. */
public final class ChunkBits {
    private ChunkBits() {}

    /** @param words text, sizes and number of chunks of {@link #of} */
    public static void main(String[] words) {
        System.out.println(of(words[0], words[1], Integer.parseInt(words[2])));
    }

    /** Losses and the state's hash, or why there are none. */
    static String of(String text, String size, int chunks) {
        try {
            Outcome outcome = TrialRun.train(
                    TrialRun.compile(text, size, CompileOptions.defaults().with(Chunks.of(chunks))), 2, 1, true);
            return outcome.losses() + " " + outcome.stateHash();
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
