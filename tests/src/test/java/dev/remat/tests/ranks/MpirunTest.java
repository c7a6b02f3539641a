package dev.remat.tests.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.Witness;
import dev.remat.tests.process.JavaCommand;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that a launcher starts train as one, and each learns why another stops. */
@Tag("slow")
class MpirunTest {
    private static final Path LAUNCHER = Path.of("/usr/bin/mpiexec.hydra");
    private static final Path OPEN_MPI = Path.of("/usr/bin/mpirun.openmpi");
    private static final Path GPT = Path.of("").toAbsolutePath().getParent().resolve("samples/gpt.model");
    private static final List<String> TRAIN = List.of(
            "train",
            GPT.toString(),
            "--set",
            "B=8,T=8,vocab=300,width=16,depth=1,heads=2,context=8",
            "--micro-batches",
            "4",
            "--data",
            "synthetic");

    @TempDir
    Path folder;

    @BeforeEach
    void findLauncher() {
        assumeTrue(Files.isExecutable(LAUNCHER), "MPICH is not installed, so no processes are joined");
    }

    private static String[] words(String... more) {
        return Stream.concat(TRAIN.stream(), Stream.of(more)).toArray(String[]::new);
    }

    private RematProcess joined(int ranks) {
        return new RematProcess(folder).startedBy(LAUNCHER.toString(), "-n", String.valueOf(ranks));
    }

    private static String state(Result result) {
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result.out()
                .lines()
                .filter(line -> line.startsWith("state "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void stateIsThatOfOneProcess() throws Exception {
        String alone = state(new RematProcess(folder).run(words("--steps", "3")));
        Result joined = joined(2).run(words("--steps", "3", "--eval-every", "2"));
        assertThat(state(joined)).isEqualTo(alone);
        assertThat(joined.out().lines().filter(line -> line.startsWith("step 3 ")))
                .as("one of them speaks")
                .hasSize(1);
        assertThat(state(new RematProcess(folder)
                        .run(words("--steps", "3", "--ranks", "2", "--processes", "--shard", "parameters"))))
                .isEqualTo(alone);
    }

    @Test
    void soItIsWhereStagesAreProcesses() throws Exception {
        String alone = state(new RematProcess(folder).run(words("--steps", "3")));
        String saved = folder.resolve("run").toString();
        Result joined = joined(4).run(words("--steps", "2", "--stages", "2", "--eval-every", "1", "--save", saved));
        state(joined);
        assertThat(joined.out().lines().filter(line -> line.startsWith("step 2 ")))
                .as("one of them speaks")
                .hasSize(1);
        assertThat(state(new RematProcess(folder)
                        .run(words("--steps", "3", "--stages", "2", "--processes", "--resume", saved))))
                .as("on one rank")
                .isEqualTo(alone);
        Result refused = joined(3).run(words("--steps", "2", "--stages", "2"));
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("--stages 2 takes as many processes for each rank, and PMI_RANK=0 and PMI_SIZE=3 say that 3"
                        + " were started");
    }

    @Test
    void aRunGoesOnWithoutTheStageThatIsKilled() throws Exception {
        String[] words = words("--steps", "300", "--stages", "2", "--ranks", "2");
        String undisturbed = state(new RematProcess(folder).run(words));
        RematProcess remat = new RematProcess(folder);
        Path run = folder.resolve("run");
        Process starter = remat.start(Stream.concat(
                        Stream.of(words),
                        Stream.of("--processes", "--restarts", "1", "--save", run.toString(), "--save-every", "5"))
                .toArray(String[]::new));
        find(starter, "PMI_RANK=2", run).destroyForcibly();
        Result result = remat.await(starter);
        assertThat(state(result)).isEqualTo(undisturbed);
        assertThat(result.err())
                .containsPattern("stage [01] of rank [01] \\(.+\\) has ended after step [0-9]+")
                .contains("starts again with 1 rank from the last checkpoint, 0 restarts left");
    }

    /** By Open MPI, for MPICH's launcher kills the others before they can say so. */
    @Test
    void aRankThatIsKilledIsNamed() throws Exception {
        assumeTrue(Files.isExecutable(OPEN_MPI), "Open MPI is not installed");
        RematProcess remat = new RematProcess(folder)
                .with("OMPI_ALLOW_RUN_AS_ROOT", 1)
                .with("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", 1)
                .startedBy(OPEN_MPI.toString(), "--oversubscribe", "--bind-to", "none", "-n", "2");
        Path run = folder.resolve("run");
        Process launcher = remat.start(words("--steps", "1000000", "--save", run.toString(), "--save-every", "5"));
        ProcessHandle second = find(launcher, "OMPI_COMM_WORLD_RANK=1", run);
        second.destroyForcibly();
        Result result = remat.await(launcher);
        assertThat(result.exitCode()).isNotZero();
        assertThat(result.err())
                .containsPattern("rank 1 \\(.+\\) has ended after step [0-9]+; rank 0 waited for [a-z]+[. ]");
        assertThat(run.resolve("meta.json")).exists();
    }

    /** By a launcher that answers nobody, as one does whose ranks do not all come. */
    @Test
    @Timeout(120)
    void aRankThatIsStillBeingJoinedEndsWithAnother() throws Exception {
        try (ServerSocket launcher = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
                Witness witness = new Witness(new ProcessGrid(1, 2), Duration.ofSeconds(60), _ -> {}, _ -> {})) {
            RematProcess remat = new RematProcess(folder)
                    .with("PMI_PORT", "127.0.0.1:" + launcher.getLocalPort())
                    .with("PMI_SIZE", 2)
                    .with("REMAT_WITNESS", witness.meeting());
            List<Process> ranks = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                ranks.add(remat.with("PMI_RANK", rank).with("PMI_ID", rank).start(words("--steps", "2")));
            }
            launcher.setSoTimeout(60_000);
            List<Socket> waiting = List.of(launcher.accept(), launcher.accept());
            while (!witness.knows(0) || !witness.knows(1)) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            ranks.getLast().destroyForcibly();
            Result result = remat.await(ranks.getFirst());
            assertThat(result.exitCode()).as(result.err()).isEqualTo(9);
            assertThat(result.err()).contains("rank 1 (").contains(") has ended after step 0");
            for (Socket each : waiting) {
                each.close();
            }
        }
    }

    @Test
    void variablesOfAnotherLauncherAreRefused() throws Exception {
        Result result =
                new RematProcess(folder).with("PMI_RANK", 1).with("PMI_SIZE", 2).run(words("--steps", "2"));
        assertThat(result.exitCode()).isEqualTo(9);
        assertThat(result.err())
                .contains("for MPI this process is rank 0 of 1, which contradicts PMI_RANK=1 and PMI_SIZE=2");
    }

    @Test
    void aRunGoesOnWithoutTheRankThatIsKilled() throws Exception {
        String[] words = words("--steps", "400", "--shard", "parameters", "--ranks", "2");
        String undisturbed = state(new RematProcess(folder).run(words));
        RematProcess remat = new RematProcess(folder);
        Path run = folder.resolve("run");
        Path log = folder.resolve("log");
        Process starter = remat.start(Stream.concat(
                        Stream.of(words),
                        Stream.of(
                                "--processes",
                                "--restarts",
                                "1",
                                "--save",
                                run.toString(),
                                "--save-every",
                                "5",
                                "--log",
                                log.toString()))
                .toArray(String[]::new));
        find(starter, "PMI_RANK=1", run).destroyForcibly();
        Result result = remat.await(starter);
        assertThat(state(result)).isEqualTo(undisturbed);
        assertThat(result.err())
                .containsPattern("rank [01] \\(.+\\) has ended after step [0-9]+")
                .contains("starts again with 1 rank from the last checkpoint, 0 restarts left");
        List<String> table = Files.readAllLines(log.resolve("steps.csv"));
        assertThat(table.getFirst()).contains(",ranks/wait_millis,ranks/slowest,ranks/slowest_share,");
        int slowest = List.of(table.getFirst().split(",")).indexOf("ranks/slowest");
        assertThat(table.get(1).split(",")[slowest]).isIn("0", "1");
        assertThat(table.getLast().split(",")[slowest]).as("of one rank").isEmpty();
        assertThat(table.stream().map(line -> line.split(",")[0]))
                .as("each step is logged once")
                .hasSize(401)
                .doesNotHaveDuplicates();
    }

    /** The process of a rank, once there is a checkpoint. */
    private static ProcessHandle find(Process launcher, String variable, Path run) throws Exception {
        for (int i = 0; i < 600 && !Files.exists(run.resolve("meta.json")); i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return launcher.descendants()
                .filter(process -> environment(process).contains(variable + "\0"))
                .findFirst()
                .orElseThrow();
    }

    private static String environment(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), "environ"));
        } catch (IOException e) {
            return "";
        }
    }

    /** One rank does the first, the other is started with more words in front of the second. */
    private Result beside(String[] first, List<String> more, String[] second) throws Exception {
        List<String> java = JavaCommand.of("dev.remat.cli.Main", "-Djava.io.tmpdir=" + folder.resolve("tmp"));
        return joined(1)
                .run(Stream.of(
                                Stream.of(first),
                                Stream.of(":", "-n", "1"),
                                more.stream(),
                                java.stream(),
                                Stream.of(second))
                        .flatMap(each -> each)
                        .toArray(String[]::new));
    }

    @Test
    void unlikeProcessorsComputeByWhatAllHave() throws Exception {
        List<String> older = List.of("-env", "ONEDNN_MAX_CPU_ISA", "SSE41");
        String[] own = words("--steps", "2");
        Result refused = beside(own, older, own);
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(9);
        assertThat(refused.err())
                .containsPattern("ranks do not agree: .*onednn is .+ on rank 0 and sse41 on rank 1")
                .contains("--kernels common");
        String[] common = words("--steps", "2", "--kernels", "common");
        assertThat(state(beside(common, older, common)))
                .isEqualTo(state(joined(2).run(common)));
        assertThat(state(beside(own, older, common)))
                .as("one of them asks")
                .isEqualTo(state(joined(2).run(common)));
    }

    @Test
    void ranksThatDifferAreRefused() throws Exception {
        Result result = beside(words("--steps", "2", "--seed", "3"), List.of(), words("--steps", "2", "--seed", "4"));
        assertThat(result.exitCode()).isEqualTo(9);
        assertThat(result.err()).contains("ranks do not agree: seed is 3 on rank 0 and 4 on rank 1");
    }

    @Test
    void anotherNumberOfRanksIsRefused() throws Exception {
        Result result = joined(2).run(words("--steps", "2", "--ranks", "4"));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("--ranks 4 contradicts PMI_RANK=0 and PMI_SIZE=2");
    }
}
