package dev.remat.tests.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that no MPI joins find each other, and train as one. */
@Tag("slow")
class TorchrunTest {
    private static final Path GPT = Path.of("").toAbsolutePath().getParent().resolve("samples/gpt.model");
    private static final List<String> TRAIN = List.of(
            "train",
            GPT.toString(),
            "--set",
            "B=8,T=8,vocab=300,width=16,depth=1,heads=2,context=8",
            "--micro-batches",
            "4",
            "--data",
            "synthetic",
            "--steps");

    /** PyTorch 1.13 on Python 3.11 fails at what it takes for both by itself. */
    private static final String[] TORCHRUN = {
        "/usr/bin/python3", "-m", "torch.distributed.run", "--redirects", "9:3", "--tee", "9:3", "--nproc_per_node", "2"
    };

    @TempDir
    Path folder;

    /** An engine of the JDK in place of Gloo. */
    @BeforeEach
    void layEngine() throws IOException {
        Path engine = Files.createDirectory(folder.resolve("engine"));
        try (OutputStream file = Files.newOutputStream(engine.resolve("sockets.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.putNextEntry(new JarEntry("META-INF/services/dev.remat.runtime.process.Engine"));
            jar.write(SocketMessages.Found.class.getName().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String[] words(String... more) {
        return Stream.concat(TRAIN.stream(), Stream.of(more)).toArray(String[]::new);
    }

    private static String[] with(String[] words, String... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new);
    }

    private RematProcess remat() {
        return new RematProcess(folder).with("REMAT_GLOO", folder.resolve("engine"));
    }

    private static String state(Result result) {
        assertThat(result.exitCode()).as(result.err()).isZero();
        List<String> states =
                result.out().lines().filter(line -> line.startsWith("state ")).toList();
        assertThat(states).as("one of them speaks").hasSize(1);
        return states.getFirst();
    }

    @Test
    void torchrunStartsOneTraining() throws Exception {
        assumeTrue(hasTorch(), "PyTorch is not installed, so nothing is started by torchrun");
        String alone = state(remat().run(words("3")));
        RematProcess joined = remat().startedBy(TORCHRUN).startedBy("--master_port=" + freePort(), "--no_python");
        assertThat(state(joined.run(words("3")))).isEqualTo(alone);
    }

    private static boolean hasTorch() throws Exception {
        Path python = Path.of(TORCHRUN[0]);
        return Files.isExecutable(python)
                && new ProcessBuilder(TORCHRUN[0], "-c", "import torch.distributed.run")
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void rematStartsThemItself() throws Exception {
        Path run = folder.resolve("run");
        String together = state(remat().run(words(
                "2",
                "--ranks",
                "2",
                "--processes",
                "--transport",
                "gloo",
                "--shard",
                "parameters",
                "--save",
                "" + run)));
        assertThat(state(remat().run(words("2", "--ranks", "4")))).isEqualTo(together);
        assertThat(state(remat().run(words("2", "--resume", run.toString())))).isEqualTo(together);
    }

    @Test
    void whoIsKilledIsNamed() throws Exception {
        Path run = folder.resolve("run");
        String place = "localhost:" + freePort();
        RematProcess remat = remat();
        String[] words =
                words("1000000", "--ranks", "2", "--rendezvous", place, "--save", "" + run, "--save-every", "5");
        Process first = remat.start(with(words, "--rank", "0"));
        Process second = remat.start(with(words, "--rank", "1"));
        for (int i = 0; i < 600 && !Files.exists(run.resolve("meta.json")); i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        second.destroyForcibly();
        Result result = remat.await(first);
        assertThat(result.exitCode()).isEqualTo(9);
        assertThat(result.err()).containsPattern("rank 1 \\(.+\\) has ended after step [0-9]+");
    }

    @Test
    void ranksOfOtherOptionsAreRefused() throws Exception {
        String[] words = words("2", "--ranks", "2", "--rendezvous", "localhost:" + freePort());
        RematProcess remat = remat();
        Process second = remat.start(with(words, "--rank", "1"));
        Result result = remat.run(with(words, "--rank", "0", "--eval-every", "1"));
        assertThat(result.exitCode()).isEqualTo(9);
        assertThat(result.err())
                .contains("ranks do not agree: --eval-every is 1 with --eval-batches 16 on rank 0 and not given on"
                        + " rank 1");
        assertThat(remat.await(second).exitCode()).isEqualTo(9);
    }

    @Test
    void ranksOfAnotherSecretAreNotLetIn() throws Exception {
        String place = "localhost:" + freePort();
        Process first = remat().with("REMAT_TOKEN", "0123456789abcdef")
                .start(words("1", "--rank", "0", "--ranks", "2", "--rendezvous", place));
        Result result = remat().with("REMAT_TOKEN", "0123456789abcdeX")
                .run(words("1", "--rank", "1", "--ranks", "2", "--rendezvous", place));
        first.destroyForcibly();
        assertThat(result.exitCode()).isEqualTo(9);
        assertThat(result.err()).contains("another secret").doesNotContain("0123456789abcde");
    }

    @Test
    void whatIsMissingIsSaid() throws Exception {
        Result result = new RematProcess(folder)
                .with("RANK", 1)
                .with("WORLD_SIZE", 2)
                .with("MASTER_ADDR", "localhost")
                .with("MASTER_PORT", freePort())
                .run(words("1"));
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.err()).contains("Gloo, whose jars are not here", "mvn -Pgloo", "REMAT_GLOO");
        Result wrong = remat().with("RANK", 1).with("WORLD_SIZE", 2).run(words("1"));
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("remat: RANK is set and MASTER_ADDR and MASTER_PORT not");
    }
}
