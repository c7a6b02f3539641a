package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.ranks.StagedExecutable;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Into however many stages a step is cut, by whatever schedule, whatever they compute again, it leaves the bits that
 * it leaves as one.
 */
@Tag("slow")
class StagesTest {
    private static final int STEPS = 2;
    private static final Lanes.Options LANES =
            new Lanes.Options(size -> new HostPlace(size.bytes()), true, transfer -> {});
    private static final List<Staging> STAGINGS = List.of(
            new Staging(2, Schedule.GPIPE),
            new Staging(3, Schedule.ONE_F_ONE_B),
            new Staging(2, Schedule.interleaved(2)),
            new Staging(4, Schedule.ZERO_BUBBLE),
            new Staging(4, Schedule.ONE_F_ONE_B));

    private static final List<String> STRATEGIES =
            List.of("pipe-never", "peak-priority", "pipe-except-last", "pipe-always");

    private record Outcome(List<Double> losses, String state) {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=8,T=5,vocab=420,width=40,depth=2,heads=2,context=8 | F32",
                "gpt | B=8,T=5,vocab=420,width=40,depth=1,heads=2,context=8 | BF16",
                "resnet-cifar | B=8,depth=20,classes=3,width=12,image=8 | F32",
                "unet | B=8,classes=3,width=8,image=16,pad=1 | F32",
                "vae | B=8,pixels=150,hidden=128,latent=6 | F32",
            })
    void stateIsThatOfOneStage(String name, String settings, DType precision) throws IOException {
        ElaboratedModel model = TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, 4, precision);
        Outcome alone = alone(model);
        int next = 0;
        for (Staging staging : STAGINGS) {
            String strategy = STRATEGIES.get(next++ % STRATEGIES.size());
            assertThat(train(stages(model, staging, strategy)))
                    .as("%s in %s by %s", name, staging, strategy)
                    .isEqualTo(alone);
        }
    }

    private static final String MODEL = """
        remat 1
        model Trained() {
          symbol B
          input x: f32[B, 6]
          input y: i32[B]
          h = linear(x, 130) as one |> relu |> dropout(0.2)
          h = linear(h, 140) as two |> tanh
          logits = linear(h, 3) as head
          loss = cross_entropy(logits, y) + 0.01 * sum(head.weight ** 2)
          hits = sum(cast(argmax(logits, axis = 1) == y, i32))
          output hits
          other = mean((h - 0.5) ** 2)
        }
        """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "minimize loss; optimizer adamw(lr = 0.01, weight_decay = 0.1, clip_norm = 0.1)",
                "minimize loss; optimizer sgd(lr = 0.1, momentum = 0.9); loss_scale dynamic",
                "minimize loss; optimizer adafactor(); average ema(decay = 0.9)",
                "minimize loss; optimizer nadam(lr = 0.01); average ema(decay = 0.9); loss_scale dynamic",
                "minimize loss; optimizer rmsprop(lr = 0.01, momentum = 0.9); average ema(decay = 0.9)",
                "minimize loss; optimizer lion(lr = 0.001); freeze \"one.*\"",
                "minimize loss { parameters \"head*\"; optimizer adam(lr = 0.01, clip_norm = 0.5) }; "
                        + "minimize other { parameters \"one*\", \"two*\"; optimizer sgd(lr = 0.1) }",
            })
    void everyTrainingIsThatOfOneStage(String training) {
        String text = MODEL + "train {\n  " + training.replace("; ", "\n  ") + "\n}\n";
        for (DType precision : List.of(DType.F32, DType.F16)) {
            ElaboratedModel model = TrialRun.cut(text, "B=16", Purpose.TRAIN, 4, precision);
            Outcome alone = alone(model);
            for (Staging staging : STAGINGS.subList(2, precision == DType.F32 ? 4 : 3)) {
                assertThat(train(stages(model, staging, "pipe-always")))
                        .as("%s in %s", training, staging)
                        .isEqualTo(alone);
            }
        }
    }

    private static StageSet stages(ElaboratedModel model, Staging staging, String strategy) {
        CpuTarget target = new CpuTarget();
        RooflineCost costs = new RooflineCost(target.device());
        CompileStages stages = new CompileStages(new Compiler(target, costs), target, costs);
        return stages.run(model, CompileOptions.defaults().withStrategy(strategy), staging);
    }

    private static Outcome alone(ElaboratedModel model) {
        try (Executable executable = new CpuExecutable(
                TrialRun.compile(model, CompileOptions.defaults()).plan(), new CpuExecutable.Options(1, true))) {
            return train(executable);
        }
    }

    private static Outcome train(StageSet set) {
        try (Executable executable = StagedExecutable.load(
                set.plans(),
                (plan, transport) -> new CpuExecutable(plan, new CpuExecutable.Options(1, true, LANES, transport)))) {
            Outcome outcome = train(executable);
            assertThat(executable.highWaterBytes()).isEqualTo(executable.plan().arenaBytes());
            return outcome;
        }
    }

    private static Outcome train(Executable executable) {
        try (SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(
                    executable,
                    data.training(
                            InputFeed.specs(executable.plan()),
                            executable.plan().seed()));
            List<Double> losses = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                losses.add(trainer.step().loss());
            }
            return new Outcome(losses, trainer.state().hash());
        }
    }
}
