package dev.remat.tests.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Plans and kernels of every sample are what {@code replay.txt} says, to the byte; a change to them is deliberate, and
 * {@code -Dbless=true} writes it down. A change that only moves code leaves them alone: 0 plans, 0 kernels changed.
 * Of what users get by default and of what they must ask for, kernels of one architecture each are compared; where
 * {@linkplain AllCases all cases} are asked for, those of all, and what takes longest to plan.
 */
@Tag("slow")
class ReplayTest {
    private static final Path FILE = Path.of("src/test/resources/dev/remat/tests/replay/replay.txt");

    /** Widths as people train them, so that tiles and budgets are real ones; few layers, which planning pays for. */
    private static final SequencedMap<String, String> SIZES = new LinkedHashMap<>();

    static {
        SIZES.put("autoencoder", "B=64");
        SIZES.put("bert", "B=16,T=128,depth=1");
        SIZES.put("dcgan", "B=64");
        SIZES.put("ddpm", "B=32,units=1");
        SIZES.put("densenet", "B=32,layers=21");
        SIZES.put("gpt", "B=16,T=128,depth=2");
        SIZES.put("llama", "B=16,T=128,depth=2");
        SIZES.put("lstm", "B=64,T=3,depth=2");
        SIZES.put("mlp", "B=128");
        SIZES.put("mobilenet", "B=32");
        SIZES.put("randwire", "B=32,stages=[[[0],[0],[1,2],[1,3],[2,4]]]");
        SIZES.put("resnet", "B=32,layers=14");
        SIZES.put("resnet-cifar", "B=32,depth=20");
        SIZES.put("transformer-encdec", "B=32,S=64,T=64,depth=1");
        SIZES.put("unet", "B=1");
        SIZES.put("vae", "B=128");
        SIZES.put("vgg", "B=32");
        SIZES.put("vit", "B=32,depth=1");
    }

    @Test
    void plansAndKernelsAreWhatTheyWere() throws IOException {
        boolean bless = Boolean.getBoolean("bless");
        boolean all = bless || AllCases.asked();
        List<String> lines = compile(all);
        if (bless) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, String.join("\n", lines) + "\n");
        }
        List<String> before = Files.readAllLines(FILE);
        ReplayDifference difference =
                all ? new ReplayDifference(before, lines) : ReplayDifference.ofSome(before, lines);
        if (!difference.isEmpty()) {
            fail(difference.words() + "\nIf that is meant, -Dbless=true writes replay.txt anew.");
        }
    }

    @Test
    void everySampleIsThere() {
        assertThat(SIZES.sequencedKeySet())
                .containsExactlyElementsOf(
                        SampleModels.ALL.stream().map(SampleModel::name).toList());
    }

    @Test
    void saysWhatChanged() {
        List<String> before = List.of(
                "plan gpt cpu sqrt arena=640 cost=70 sequence=a plan=b",
                "plan gpt cpu auto half refused",
                "kernel relu_1 c",
                "header math.cuh d");
        List<String> after = List.of(
                "plan gpt cpu sqrt arena=512 cost=75 sequence=a plan=e",
                "plan gpt cpu auto half refused",
                "kernel relu_2 c",
                "header math.cuh d");
        assertThat(new ReplayDifference(before, before).isEmpty()).isTrue();
        assertThat(new ReplayDifference(before, after).words()).isEqualTo("""
            1 plan, 2 kernels, 0 headers changed
              plan gpt cpu sqrt: arena from 640 to 512, cost from 70 to 75, plan
              kernel relu_1: gone
              kernel relu_2: new\
            """);
        assertThat(new ReplayDifference(before, List.of("plan gpt cpu sqrt refused")).words())
                .contains("from arena=640 cost=70 sequence=a plan=b to refused");
        assertThat(ReplayDifference.ofSome(before, before.subList(0, 2)).isEmpty())
                .isTrue();
        assertThat(ReplayDifference.ofSome(before, after).words()).isEqualTo("""
            1 plan, 1 kernel, 0 headers changed
              plan gpt cpu sqrt: arena from 640 to 512, cost from 70 to 75, plan
              kernel relu_2: new\
            """);
        assertThatThrownBy(() -> new ReplayDifference(before, List.of("<<<<<<< HEAD")))
                .hasMessage("no line of a replay: <<<<<<< HEAD");
    }

    /** Side by side, put together in a fixed order. */
    private static List<String> compile(boolean all) {
        List<Supplier<ReplayText>> tasks = new ArrayList<>();
        SIZES.forEach((sample, settings) -> {
            tasks.add(() -> Replay.cpu(sample, settings));
            tasks.add(() -> Replay.gpu(sample, settings, Architecture.SM_80));
            if (all) {
                tasks.add(() -> Replay.gpuTensorCores(sample, settings, Architecture.SM_80));
                tasks.add(() -> Replay.gpu(sample, settings, Architecture.SM_90A));
            }
            tasks.add(() -> Replay.gpuTensorCores(sample, settings, Architecture.SM_90A));
            if (all) {
                tasks.add(() -> Replay.gpuAuto(sample, settings, Architecture.SM_90A));
                tasks.add(() -> Replay.gpuOnce(sample, settings, Architecture.SM_86));
                tasks.add(() -> Replay.gpuOnce(sample, settings, Architecture.SM_89));
                tasks.add(() -> Replay.gpuOnce(sample, settings, Architecture.SM_100A));
                tasks.add(() -> Replay.gpuOnce(sample, settings, Architecture.SM_80, Architecture.SM_90A));
            }
        });
        ReplayText text = new ReplayText();
        tasks.parallelStream().map(Supplier::get).toList().forEach(text::addAll);
        return text.lines();
    }
}
