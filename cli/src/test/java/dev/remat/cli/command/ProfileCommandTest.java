package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.KernelProfile;
import dev.remat.ir.target.KernelTime;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class ProfileCommandTest {
    @TempDir
    Path folder;

    private CommandRun run(String command, String settings, String... more) throws IOException {
        String[] args = new String[more.length + 4];
        args[0] = command;
        args[1] = TinyModels.text(folder);
        args[2] = "--set";
        args[3] = settings;
        System.arraycopy(more, 0, args, 4, more.length);
        return CommandRun.of(args);
    }

    /** A profile in which nothing but the device is told. */
    private String emptyProfile(String target) throws IOException {
        DeviceSpec device = DeviceSpec.of("toy", 1e9, 1e9, 1e9, 0);
        return write(
                "empty.json", CostFileJson.write(new CostFile.Profile(new KernelProfile(target, device, List.of()))));
    }

    @Test
    void aLinkThatWasMeasuredIsThatOfPlans() throws IOException {
        CostFile.Profile empty = (CostFile.Profile) CostFileJson.read(Files.readAllBytes(Path.of(emptyProfile("cpu"))));
        CostFile.Profile linked = new CostFile.Profile(empty.profile(), Optional.of(new Link(12345, 678)));
        String costs = write("linked.json", CostFileJson.write(linked));
        String[] ranks = {"--ranks", "2", "--json", "--costs", costs};
        assertThat(run("plan", "B=4,T=16", ranks).out()).contains("\"linkBytesPerSecond\": 12345");
        String[] given = {"--ranks", "2", "--json", "--costs", costs, "--link", "8Kbit"};
        assertThat(run("plan", "B=4,T=16", given).out()).contains("\"linkBytesPerSecond\": 1000");
        CommandRun alone = run("plan", "B=4,T=16", "--json", "--costs", costs);
        assertThat(alone.exitCode()).isZero();
        assertThat(alone.out()).doesNotContain("linkBytesPerSecond");
        assertThat(run("plan", "B=4,T=16", "--ranks", "2", "--json", "--costs", "roofline:" + costs)
                        .out())
                .as("the device's rates alone")
                .doesNotContain("12345");
    }

    private String write(String name, byte[] content) throws IOException {
        return Files.write(folder.resolve(name), content).toString();
    }

    @Test
    void measuresEveryKernelAndPlansWithTheTimes() throws IOException {
        Path file = folder.resolve("costs.json");
        CommandRun profile = run("profile", "B=4,T=16", "--repeat", "2", "--warm-up", "0", "-o", file.toString());
        assertThat(profile.exitCode()).as(profile.err()).isZero();
        assertThat(profile.out())
                .contains("products in f32", "matmul", "fusion groups were measured", "written to " + file)
                .doesNotContain("Lanes");
        KernelProfile measured = ((CostFile.Profile) CostFileJson.read(Files.readAllBytes(file))).profile();
        assertThat(measured.target()).isEqualTo("cpu");
        assertThat(measured.kernels()).extracting(KernelTime::nanos).allMatch(nanos -> nanos > 0);

        CommandRun plan = run("plan", "B=4,T=16", "--costs", file.toString(), "--strategy", "sqrt", "--json");
        assertThat(plan.exitCode()).as(plan.err()).isZero();
        assertThat(plan.out())
                .contains(
                        "\"costModel\": \"profile:costs.json\"",
                        "\"predictor\": \"roofline:cpu\"",
                        "\"estimatedMillis\": 0.0",
                        "\"families\"");
        int units = number(plan.out(), "units");
        assertThat(number(plan.out(), "unitsMeasured")).isEqualTo(units);
        assertThat(measured.kernels().stream().mapToInt(KernelTime::count).sum())
                .isEqualTo(units);

        CommandRun other = run("plan", "B=8,T=16", "--costs", file.toString(), "--json");
        assertThat(number(other.out(), "unitsMeasured"))
                .as("updates know no batch")
                .isPositive()
                .isLessThan(units);
        assertThat(run("plan", "B=8,T=16", "--costs", file.toString()).out())
                .containsPattern("measured +[1-9][0-9]* of [1-9][0-9]* +fusion groups");
        CommandRun text = run("plan", "B=8,T=16", "--costs", file.toString(), "--verbose");
        assertThat(text.out()).contains("by profile:costs.json", "the others are estimated to take");
    }

    private static int number(String json, String field) {
        return Integer.parseInt(json.replaceAll("(?s).*\"" + field + "\": (\\d+).*", "$1"));
    }

    /** With one run of each kernel the medians are the times themselves, whose sum the profile tells, too. */
    @Test
    void tracesTheMeasuredStepBesideThePredictedOne() throws IOException {
        Path trace = folder.resolve("step.trace.json");
        Path costs = folder.resolve("costs.json");
        CommandRun run = run(
                "profile",
                "B=1,T=4",
                "--repeat",
                "1",
                "--warm-up",
                "0",
                "--trace",
                trace.toString(),
                "-o",
                costs.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        KernelProfile profile = ((CostFile.Profile) CostFileJson.read(Files.readAllBytes(costs))).profile();
        List<Map<String, String>> measured = TraceEvents.read(trace).stream()
                .filter(event -> event.get("pid").equals("2") && event.get("tid") != null)
                .filter(event -> event.get("ph").equals("X") && event.get("tid").equals("1"))
                .toList();
        assertThat(measured)
                .hasSize(profile.kernels().stream().mapToInt(KernelTime::count).sum());
        double longest = measured.stream()
                .mapToDouble(slice -> Double.parseDouble(slice.get("dur")))
                .max()
                .orElseThrow();
        double once = profile.kernels().stream()
                .filter(kernel -> kernel.count() == 1)
                .mapToDouble(kernel -> kernel.nanos() / 1e3)
                .max()
                .orElseThrow();
        assertThat(longest).isGreaterThanOrEqualTo(once);
        assertThat(measured)
                .allSatisfy(slice -> assertThat(
                                slice.get("args.measured on " + profile.device().name() + " us"))
                        .isEqualTo(slice.get("dur")));
        assertThat(run("profile", "B=1,T=4", "--trace", folder.resolve("none/x").toString())
                        .exitCode())
                .isEqualTo(ExitCode.USAGE.number());
    }

    @Test
    void printsTheFileAsJson() throws IOException {
        CommandRun run = run("profile", "B=1,T=2", "--repeat", "1", "--warm-up", "0", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("{\"format\":\"remat-profile/1\",\"target\":\"cpu\"");
    }

    @Test
    void namesCostModels() throws IOException {
        assertThat(run("plan", "B=4,T=16").out()).contains("by roofline:cpu");
        assertThat(run("plan", "B=4,T=16", "--costs", "roofline").out())
                .contains("by roofline:cpu")
                .doesNotContain("measured");
        assertThat(run("plan", "B=4,T=16", "--costs", "roofline:h200").out()).contains("by roofline:h200");
        assertThat(run("plan", "B=4,T=16", "--costs", "roofline", "--target", "sm_80")
                        .out())
                .contains("by roofline:sm_80");
        CommandRun unit = run("plan", "B=4,T=16", "--costs", "unit", "--json");
        assertThat(unit.out()).contains("\"costModel\": \"unit\"", "\"estimatedMillis\": null");
        assertThat(run("plan", "B=4,T=16", "--costs", "unit").out()).contains(" units  in ", "by unit", "of its cost");
    }

    @Test
    void takesDevicesFromFiles() throws IOException {
        String device =
                write("toy.json", CostFileJson.write(new CostFile.Device(DeviceSpec.of("toy", 1e9, 1e9, 1e9, 0))));
        assertThat(run("plan", "B=4,T=16", "--costs", device).out()).contains("by roofline:toy");
        assertThat(run("plan", "B=4,T=16", "--costs", "roofline:" + emptyProfile("cpu"))
                        .out())
                .contains("by roofline:toy")
                .doesNotContain("were measured");
        assertThat(run("plan", "B=4,T=16", "--costs", emptyProfile("cpu")).out())
                .contains("by profile:empty.json", "0 of ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rofline | unknown cost model 'rofline'; did you mean 'roofline'?",
                "roofline:h20 | unknown cost model 'roofline:h20'; did you mean 'roofline:h200'?",
                "roofline: | unknown cost model 'roofline:'",
                "none.json | none.json: no such file or directory"
            })
    void refusesCostsThatAreNeitherAModelNorAFile(String costs, String problem) throws IOException {
        CommandRun run = run("plan", "B=4,T=16", "--costs", costs);
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains(problem);
    }

    @Test
    void refusesTimesMeasuredForAnotherTarget() throws IOException {
        CommandRun run = run("plan", "B=4,T=16", "--costs", emptyProfile("sm_80"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains("was measured for sm_80, not for cpu");
        assertThat(run("plan", "B=4,T=16", "--target", "sm_80", "--costs", emptyProfile("sm_80"))
                        .exitCode())
                .isZero();
    }

    @Test
    void refusesFilesThatHoldNoCosts() throws IOException {
        CommandRun run = run("plan", "B=4,T=16", "--costs", TinyModels.data(folder));
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_FILE.number());
        assertThat(run.err()).contains("data.txt: line 1, column 1");
        String later = write("later.json", "{\"format\":\"remat-profile/3\"}".getBytes(StandardCharsets.UTF_8));
        assertThat(run("plan", "B=4,T=16", "--costs", later).err())
                .contains("the format is remat-profile/3, this remat reads remat-profile/1");
    }

    @Test
    void namesAFolderThatIsGivenForCosts() throws IOException {
        CommandRun run = run("plan", "B=4,T=16", "--costs", folder.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).isEqualTo("remat: " + folder + ": is a folder, not a file\n");
    }

    /** At 1e-300 bytes a second each kernel takes as long as can be counted, and two of them longer. */
    @Test
    void saysThatCostsAddUpToTooMuch() throws IOException {
        String slow =
                write("slow.json", CostFileJson.write(new CostFile.Device(DeviceSpec.of("slow", 1e9, 1e9, 1e-300, 0))));
        CommandRun run = run("plan", "B=4,T=16", "--costs", slow);
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err())
                .contains("its costs add up to more than 2^60", "in a file for --costs higher rates")
                .doesNotContain("bug");
        String patient = write(
                "patient.json", CostFileJson.write(new CostFile.Device(DeviceSpec.of("patient", 1e9, 1e9, 1e3, 0))));
        assertThat(run("plan", "B=4,T=16", "--costs", patient).exitCode()).isZero();
    }

    @Test
    void refusesAPlaceThatTakesNoTimesBeforeItReadsTheModel() {
        String file = folder.resolve("no/costs.json").toString();
        CommandRun run = CommandRun.of("profile", folder.resolve("none.model").toString(), "-o", file);
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).isEqualTo("remat: " + folder.resolve("no") + ": no such file or directory\n");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void saysThatThereIsNoGpuToMeasureOn() throws IOException {
        CommandRun cuda = run("profile", "B=4,T=16", "--device", "cuda:999");
        assertThat(cuda.exitCode()).isEqualTo(ExitCode.DEVICE.number());
        assertThat(cuda.err()).containsAnyOf("there is no CUDA driver", "there is no GPU 999", "offers no GPU");
        CommandRun unknown = run("profile", "B=4,T=16", "--device", "cpux");
        assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(unknown.err()).contains("unknown device 'cpux'; did you mean 'cpu'?");
        assertThat(run("profile", "B=4,T=16", "--repeat", "0").err()).contains("'--repeat': it counts from 1, not 0");
    }
}
