package dev.remat.tests.promises;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.remat.ir.DType;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** What ranks and stages train, small enough for two steps of each of many plans. */
final class TrainedInPieces {
    static final String SAMPLES = "dev.remat.tests.promises.TrainedInPieces#samples";
    static final String TRAININGS = "dev.remat.tests.promises.TrainedInPieces#trainings";

    private static final String MODEL = """
        remat 1
        optimizer own(lr: float, kept: float = 0.9) {
          mean = state()
          mean = kept * mean + (1.0 - kept) * gradient
          parameter = parameter - lr / sqrt(step) * tanh(mean)
        }
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

    private TrainedInPieces() {}

    /** Names of samples, settings for them, and a precision. */
    static Stream<Arguments> samples() {
        return Stream.of(
                arguments("gpt", "B=8,T=5,vocab=420,width=40,depth=2,heads=2,context=8", DType.F32),
                arguments("gpt", "B=8,T=5,vocab=420,width=40,depth=1,heads=2,context=8", DType.BF16),
                arguments("resnet-cifar", "B=8,depth=20,classes=3,width=12,image=8", DType.F32),
                arguments("unet", "B=8,classes=3,width=8,image=16,pad=1", DType.F32),
                arguments("vae", "B=8,pixels=150,hidden=128,latent=6", DType.F32));
    }

    /** Whatever a {@code train} block says. */
    static Stream<String> trainings() {
        return Stream.of(
                "minimize loss; optimizer adamw(lr = 0.01, weight_decay = 0.1, clip_norm = 0.1)",
                "minimize loss; optimizer sgd(lr = 0.1, momentum = 0.9); loss_scale dynamic",
                "minimize loss; optimizer adafactor(); average ema(decay = 0.9)",
                "minimize loss; optimizer nadam(lr = 0.01); average ema(decay = 0.9); loss_scale dynamic",
                "minimize loss; optimizer rmsprop(lr = 0.01, momentum = 0.9); average ema(decay = 0.9)",
                "minimize loss; optimizer lion(lr = 0.001); freeze \"one.*\"",
                "minimize loss; optimizer own(lr = 0.01); average ema(decay = 0.9)",
                "minimize loss; optimizer lamb(lr = 0.01)",
                "minimize loss { parameters \"head*\"; optimizer adam(lr = 0.01, clip_norm = 0.5) }; "
                        + "minimize other { parameters \"one*\", \"two*\"; optimizer sgd(lr = 0.1) }");
    }

    /** A model that is trained so, with dropout and a penalty. */
    static String text(String training) {
        return MODEL + "train {\n  " + training.replace("; ", "\n  ") + "\n}\n";
    }
}
