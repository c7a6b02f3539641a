package dev.remat.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.checkpoint.RunFolder.Existing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunLogTest {
    @TempDir
    Path folder;

    /** Whoever may write to the folder knows these names, and must not choose what is written over. */
    @Test
    void plantedLinksAreNotFollowed() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        Path place = Files.createDirectory(folder.resolve("log"));
        String writer =
                ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId();
        Files.createSymbolicLink(place.resolve("steps.csv"), folder.resolve("made"));
        for (String name :
                List.of("steps.plan.json", ".steps.csv." + writer + ".tmp", ".steps.plan.json." + writer + ".tmp")) {
            Files.createSymbolicLink(place.resolve(name), victim);
        }
        try (RunLog log = RunLog.open(place, Existing.KEEP, "test")) {
            log.describe(step -> new byte[] {(byte) step});
            log.append(1, new LinkedHashMap<>(Map.of("loss", 0.5)));
        }
        assertThat(victim).hasContent("mine");
        assertThat(folder.resolve("made")).doesNotExist();
        assertThat(place.resolve("steps.csv")).hasContent("step,loss\n1,0.5\n");
        assertThat(place.resolve("steps.plan.json")).hasBinaryContent(new byte[] {1});
    }
}
