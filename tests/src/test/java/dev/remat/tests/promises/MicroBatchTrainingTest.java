package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a train block says happens once a step, by the gradients of the whole batch. */
class MicroBatchTrainingTest {
    private static final int STEPS = 4;

    private static final String MODEL = """
        remat 1
        model Trained() {
          symbol B
          input x: f32[B, 6]
          input y: i32[B]
          h = linear(x, 8) as one |> relu |> dropout(0.2)
          h = linear(h, 8) as two |> tanh
          logits = linear(h, 3) as head
          loss = cross_entropy(logits, y) + 0.01 * sum(head.weight ** 2)
          guess = argmax(logits, axis = 1)
          right = cast(guess == y, i32)
          accuracy = mean(cast(right, f32))
          hits = sum(right)
          output accuracy, hits
          other = mean((h - 0.5) ** 2)
        }
        """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "minimize loss; optimizer sgd(lr = 0.1, momentum = 0.9, nesterov = true)",
                "minimize loss; optimizer adamw(lr = 0.01, weight_decay = 0.1, clip_norm = 0.1)",
                "minimize loss; optimizer lion(lr = 0.001)",
                "minimize loss; optimizer adagrad(lr = 0.1)",
                "minimize loss; optimizer rmsprop(lr = 0.01, momentum = 0.5)",
                "minimize loss; optimizer nadam(lr = 0.01)",
                "minimize loss; optimizer adafactor()",
                "minimize loss; optimizer adam(lr = 0.01); average ema(decay = 0.9)",
                "minimize loss; optimizer adam(lr = 0.01); freeze \"one.*\"",
                "minimize loss; optimizer sgd(lr = 0.1); group \"*bias\" { optimizer adam(lr = 0.01) }",
                "minimize loss { parameters \"head*\"; optimizer adam(lr = 0.01, clip_norm = 0.5) }; "
                        + "minimize other { parameters \"one*\", \"two*\"; optimizer sgd(lr = 0.1) }",
                "minimize loss; optimizer sgd(lr = 0.1); loss_scale dynamic"
            })
    void stateIsThatOfTheWholeBatch(String training) {
        String text = MODEL + "train {\n  " + training.replace("; ", "\n  ") + "\n}\n";
        Trained whole = train(text, 1);
        for (int count : new int[] {2, 8}) {
            Trained cut = train(text, count);
            assertThat(cut.numbers().keySet()).isEqualTo(whole.numbers().keySet());
            whole.numbers().forEach((name, values) -> {
                double largest = 1e-3;
                for (double value : values) {
                    largest = Math.max(largest, Math.abs(value));
                }
                double[] found = cut.numbers().get(name);
                for (int i = 0; i < values.length; i++) {
                    assertThat(Math.abs(found[i] - values[i]) / largest)
                            .as("%s[%d] in %d micro-batches", name, i, count)
                            .isLessThan(1e-10);
                }
            });
        }
    }

    /** @param numbers every state, and every output of every step, by name */
    private record Trained(Map<String, double[]> numbers) {}

    private static Trained train(String text, int count) {
        ExecutionPlan plan = TrialRun.compile(
                        TrialRun.cut(text, "B=16", Purpose.TRAIN, count, DType.F64), CompileOptions.defaults())
                .plan();
        Map<String, double[]> numbers = new LinkedHashMap<>();
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(2, true));
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            List<StepResult> results = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                results.add(trainer.step());
            }
            numbers.put("loss", results.stream().mapToDouble(StepResult::loss).toArray());
            results.getFirst()
                    .outputs()
                    .keySet()
                    .forEach(name -> numbers.put(
                            name,
                            results.stream()
                                    .mapToDouble(result -> result.outputs().get(name))
                                    .toArray()));
            trainer.state().tensors().forEach(tensor -> numbers.put(tensor.name(), values(tensor)));
        }
        assertThat(numbers).containsKeys("loss", "accuracy", "hits", "head.weight");
        return new Trained(numbers);
    }

    private static double[] values(StoredTensor tensor) {
        double[] values = new double[(int) tensor.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = switch (tensor.type()) {
                case F64 -> tensor.data().get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i);
                case F32 -> tensor.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i);
                case I64 -> tensor.data().get(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i);
                default -> throw new IllegalArgumentException("state of " + tensor.type());
            };
        }
        return values;
    }
}
