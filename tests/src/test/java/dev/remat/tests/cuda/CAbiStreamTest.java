package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.tests.cuda.CProgram.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program without Java runs steps behind its own work, without waiting; {@code own_stream.cc} does. */
@Tag("slow")
class CAbiStreamTest {
    @TempDir
    static Path folder;

    private static CProgram program;
    private static Path kernels;

    @BeforeAll
    static void build() throws IOException {
        program = CProgram.build(TinyProgram.PLAN, TinyProgram.PROGRAM, List.of(Architecture.SM_80), folder);
        kernels =
                ShimLibrary.compile(TinyProgram.PROGRAM.kernels(), 1, Files.createDirectory(folder.resolve("kernels")));
        Path source = Files.writeString(folder.resolve("own_stream.cc"), ShimSource.resource("driver/own_stream.cc"));
        program.compile(source, "own_stream");
    }

    private static Run run(Map<String, String> environment) throws IOException {
        return program.run("own_stream", kernels, environment);
    }

    /** Each step takes 1/16 of its number off weights of 0; then 64 times a weight of 1/4 and data of 2. */
    @Test
    void stepsRunInTheOrderOfTheCallersStream() throws IOException {
        Run run = run(Map.of());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out().lines())
                .containsExactly(
                        "step 0: steps count from 1, not 0",
                        "step -1: steps count from 1, not -1",
                        "held up 0 times",
                        "w -312500000",
                        "loss 32",
                        "warning: ");
    }

    @Test
    void aRefusedGraphIsTold() throws IOException {
        Run run = run(Map.of("REMAT_TEST_GRAPHS", "none"));
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains("loss 32", "warning: kernels are launched one by one: the driver captures no graph");
    }

    @Test
    void aKernelThatFailsIsNamedWhereEachIsWaitedFor() throws IOException {
        Run late = run(Map.of("REMAT_TEST_FAULT", "descend@3"));
        assertThat(late.status()).isOne();
        assertThat(late.err())
                .contains("read w: ", "unspecified launch failure")
                .doesNotContain("descend");
        Run named = run(Map.of("REMAT_TEST_FAULT", "descend@3", "REMAT_SYNC", "1"));
        assertThat(named.status()).isOne();
        assertThat(named.err())
                .contains("run: descend_2, launch 1 of the step, has failed: unspecified launch failure");
    }

    @Test
    void aDriverOlderThanTheKernelsIsReported() throws IOException {
        Run run = run(Map.of("REMAT_TEST_VERSION", "12080"));
        assertThat(run.status()).isOne();
        assertThat(run.err())
                .contains("the CUDA driver supports CUDA 12.8, and the kernels were compiled by CUDA 13.1");
    }
}
