package dev.remat.tests.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.trained.LanguageModel;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.Continuation;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.generate.Continued;
import dev.remat.runtime.generate.Generator;
import dev.remat.runtime.generate.Sampling;
import dev.remat.runtime.text.ByteTokenizer;
import dev.remat.runtime.train.TrainingState;
import dev.remat.tests.samples.SampleModels;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A text that is continued from what is kept of earlier positions is the one of whole passes. */
class KeptPositionsTest {
    private static final long LONGEST = 40;

    /** How a body of {@link #model} attends, by hand or otherwise. */
    private static final String BY_HAND = """
          scores = q @ transpose(k) * 0.5
          earlier = arange(T)[:, none] >= arange(T)
          a = softmax(masked_fill(scores, not earlier, -3.4e38)) @ v
        """;

    private static LanguageModel language(String text, String settings) {
        ModelSession session = ModelSession.of(
                ModelText.of(new Source("m.model", text), IncludeResolver.NONE),
                ModelSettings.of(Bindings.parse(List.of(settings))));
        return new LanguageModel(session, Optional.empty(), new CommandLine(CommandLine.Model.CommandSpec.create()));
    }

    private static String sample(String name) throws IOException {
        return Files.readString(SampleModels.of(name).path());
    }

    /** A small model that attends as {@code attending} says: from q, k and v, of [B, 2, T, 4], to a. */
    private static String model(String attending) {
        return """
            remat 1

            model M {
              symbol B, T
              input tokens: i32[B, T]
              input targets: i32[B, T]

              x = embedding(tokens, 256, 8) as table
              q = linear(x, 8) as query |> split_heads(2)
              k = linear(x, 8) as key |> split_heads(2)
              v = linear(x, 8) as value |> split_heads(2)
            %s
              x = x + linear(merge_heads(a), 8) as out
              loss = cross_entropy(linear(x, 256) as head, targets)
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """.formatted(attending);
    }

    private static Executable load(ElaboratedModel model) {
        CpuTarget target = new CpuTarget();
        Executable executable = new CpuExecutable(
                new Compiler(target, new RooflineCost(target.device()))
                        .compile(model, CompileOptions.defaults())
                        .plan(),
                new CpuExecutable.Options(1, true));
        new TrainingState(executable).initialize();
        return executable;
    }

    private static Generator generator(LanguageModel language, boolean keeps) {
        Continued.Load continued = (window, positions) -> {
            Continuation continuation = language.continuing(window).orElseThrow();
            return new Continued(
                    load(language.at(continuation, positions)),
                    continuation.positions(),
                    continuation.kept().stream()
                            .map(kept -> new Continued.Kept(kept.name(), kept.axis()))
                            .toList());
        };
        return new Generator(
                language.longest(),
                language.isFixed(),
                window -> load(language.at(window)),
                keeps ? Optional.of(continued) : Optional.empty(),
                new ByteTokenizer(),
                new Sampling(1, 0, 1),
                7);
    }

    /** Through windows of 16, 32 and the longest, and beyond that. */
    private static void expectTheSame(LanguageModel language) {
        assertThat(language.continuing(LONGEST)).isPresent();
        List<Integer> text = new ArrayList<>("A plan ".chars().boxed().toList());
        try (Generator whole = generator(language, false);
                Generator scoring = generator(language, true);
                Generator drawing = generator(language, true)) {
            while (text.size() < LONGEST + 4) {
                int[] context = text.stream().mapToInt(Integer::intValue).toArray();
                double[] expected = whole.logits(context);
                assertThat(scoring.logits(context))
                        .as("after %d tokens", context.length)
                        .containsExactly(expected, Offset.offset(2e-6 * largest(expected)));
                int next = whole.next(context);
                assertThat(drawing.next(context)).isEqualTo(next);
                text.add(next);
            }
        }
    }

    private static double largest(double[] values) {
        return Arrays.stream(values).map(Math::abs).max().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpt B=1,T=40,width=16,depth=2,heads=2",
                "llama B=1,T=40,width=16,depth=2,heads=4,kv_heads=2,hidden=24"
            })
    void samplesContinueTheSame(String sample) throws IOException {
        String[] words = sample.split(" ");
        expectTheSame(language(sample(words[0]), words[1]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "  a = attention(q, k, v, causal = true)",
                "  a = attention(q, k, v, causal = true, bias = cast(arange(T) - arange(T)[:, none], f32) * 0.1)",
                "  a = attention(q, k, v, mask = (arange(T)[:, none] >= arange(T)) and (arange(T)[:, none] - arange(T)"
                        + " < 5))",
                BY_HAND
            })
    void attendingByHandContinuesTheSame(String attending) {
        expectTheSame(language(model(attending), "B=1,T=40"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "  a = attention(q, k, v)",
                "  a = attention(q, k, v, causal = true) * (1.0 / T)",
                "  a = attention(q, k, v, causal = true) + mean(v, axis = 2, keepdim = true)",
                "  a = attention(q, k, v, causal = true) + cumsum(v, axis = 2)"
            })
    void whatIsNotComputedByPositionIsLeftAlone(String attending) {
        assertThat(language(model(attending), "B=1,T=40").continuing(LONGEST)).isEmpty();
    }

    /** The step of one position computes a fortieth of the products with weights. */
    @Test
    void aTokenCostsNoWholePass() throws IOException {
        LanguageModel language = language(sample("gpt"), "B=1,T=1024,width=64,depth=2,heads=2");
        double whole = flops(language.at(1024));
        double one = flops(language.at(language.continuing(1024).orElseThrow(), 1));
        assertThat(one).isLessThan(whole / 200);
    }

    private static double flops(ElaboratedModel model) {
        return model.forward().nodes().stream()
                .mapToDouble(node -> node.op()
                        .flops(
                                model.forward().types(node.operands()),
                                model.forward().types(node.results())))
                .sum();
    }
}
