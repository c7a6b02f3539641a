package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said where ranks cannot be processes; that they train as threads do is for real processes to show. */
class ProcessCommandsTest {
    @TempDir
    Path folder;

    private CommandRun train(String... more) throws IOException {
        List<String> args = new ArrayList<>(
                List.of("train", TinyModels.text(folder), "--set", "B=4,T=16", "--text", TinyModels.data(folder)));
        args.addAll(List.of("--steps", "2", "--micro-batches", "2"));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private void refuses(String message, String... more) throws IOException {
        refused(message, train(more));
    }

    private static void refused(String message, CommandRun run) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void aLinkIsMeasuredBetweenProcesses() throws IOException {
        String model = TinyModels.text(folder);
        String[] words = {"profile", model, "--set", "B=1,T=2", "--link"};
        refused("--link is measured between ranks that are processes", CommandRun.of(words));
        refused(
                "--processes starts one for each rank; it needs --ranks W",
                CommandRun.of("profile", model, "--set", "B=1,T=2", "--link", "--processes"));
        refused(
                "--restarts goes on from the last checkpoint of a training",
                CommandRun.of(
                        "profile",
                        model,
                        "--set",
                        "B=1,T=2",
                        "--link",
                        "--ranks",
                        "2",
                        "--processes",
                        "--restarts",
                        "1"));
        refused(
                "--ranks is about what joins ranks; it needs --link",
                CommandRun.of("profile", model, "--set", "B=1,T=2", "--ranks", "2"));
        refused(
                "profile without --link runs in one process",
                CommandRun.of("profile", model, "--set", "B=1,T=2", "--processes"));
        refused(
                "--link is measured beside the kernels of a model",
                CommandRun.of("profile", folder.toString(), "--link"));
    }

    @Test
    void processesAreOneForEachRank() throws IOException {
        refuses("--processes starts one for each rank; it needs --ranks W", "--processes");
        refuses("--restarts is for ranks that --processes starts", "--ranks", "2", "--restarts", "3");
        refuses("--kernels is for ranks that are processes", "--kernels", "common");
        refuses("--interface is for ranks that mpirun, srun or torchrun has started", "--interface", "lo");
        String[] two = {"--stages", "2", "--ranks", "2", "--rendezvous", "localhost:1"};
        refuses("--rendezvous needs --rank R, which of the ranks this process is", two);
        refuses(
                "--rank 4 is none of --stages 2 and --ranks 2, which count from 0",
                Stream.concat(Stream.of(two), Stream.of("--rank", "4")).toArray(String[]::new));
        assertThat(train("--ranks", "2").exitCode()).isZero();
        assertThat(train("--stages", "2").exitCode()).isZero();
    }
}
