package dev.remat.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where there is less memory than a run takes, it is refused before its first step, and not killed. */
@Tag("slow")
class LittleMemoryTest {
    private static final int REFUSED = 6;
    private static final String NUMBERS =
            "remat: the arena takes [0-9]+ bytes, and the process needs [0-9]+ more beside"
                    + " it, and %s has [0-9]+ free of %d\\R"
                    + "remat: --budget [0-9]+ plans for what is free; a smaller batch takes less, too\\R";

    @TempDir
    Path folder;

    /** The virtual machine reserves little of them, and malloc no arena for a thread that finds another busy. */
    private RematProcess withAddresses(long kibibytes) {
        return new RematProcess(folder)
                .with("JDK_JAVA_OPTIONS", "-Xmx64m -XX:ReservedCodeCacheSize=64m -XX:CompressedClassSpaceSize=48m")
                .with("MALLOC_ARENA_MAX", "1")
                .startedBy("bash", "-c", "ulimit -v " + kibibytes + " && exec \"$@\"", "bash");
    }

    private String[] rows(int count, String... more) throws IOException {
        String[] words = SmallModel.train(folder, 2, more);
        words[3] = "B=" + count;
        return words;
    }

    @Test
    void aLimitOfAddressesIsTold() throws IOException, InterruptedException {
        Result refused = withAddresses(2_000_000).run(rows(4096));
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(REFUSED);
        assertThat(refused.err()).containsPattern(NUMBERS.formatted("ulimit -v", 2_048_000_000));
        assertThat(refused.out()).isEmpty();
        Result trained = withAddresses(2_000_000).run(rows(4));
        assertThat(trained.exitCode()).as(trained.err()).isZero();
    }

    @Test
    void aControlGroupIsToldAndItsLimitKept() throws IOException, InterruptedException {
        Optional<MemoryGroup> made = MemoryGroup.make(400L << 20);
        assumeTrue(made.isPresent(), "no memory control group can be made here");
        try (MemoryGroup group = made.get()) {
            RematProcess within = new RematProcess(folder)
                    .with("JDK_JAVA_OPTIONS", "-XX:MaxHeapFreeRatio=40 -XX:-ShrinkHeapInSteps")
                    .startedBy("bash", "-c", "echo $$ >" + group.folder() + "/cgroup.procs && exec \"$@\"", "bash");
            Result refused = within.run(rows(1024));
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(REFUSED);
            assertThat(refused.err())
                    .containsPattern(NUMBERS.formatted(
                            "the control group /" + group.folder().getFileName(), 400L << 20));
            assertThat(refused.out()).isEmpty();
            Result trained = within.run(rows(128, "--budget", "container"));
            assertThat(trained.exitCode()).as(trained.err()).isZero();
            assertThat(trained.out()).contains("step 2");
        }
    }
}
