package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.device.Device;
import dev.remat.cli.device.DeviceOption;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.PromptOptions;
import dev.remat.cli.option.TensorNames;
import dev.remat.cli.option.TokenizerOption;
import dev.remat.cli.option.TrainedOptions;
import dev.remat.cli.option.WeightsOption;
import dev.remat.cli.trained.LanguageModel;
import dev.remat.cli.trained.TrainedTensors;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.Continuation;
import dev.remat.runtime.Executable;
import dev.remat.runtime.generate.Continued;
import dev.remat.runtime.generate.Generator;
import dev.remat.runtime.generate.Sampling;
import dev.remat.runtime.text.EndTokens;
import dev.remat.runtime.text.TokenStream;
import dev.remat.runtime.text.Tokenizer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat generate}. */
@Command(
        name = "generate",
        description = "Continue a text with a trained model that reads 'tokens' or 'input_ids' of [B, T].",
        footer = {
            "",
            "The model sees the last T tokens. What attention reads of earlier ones is kept, where it can be, until"
                    + " the",
            "text is longer than T; else all of them are computed again for every new one.",
            "",
            "Examples:",
            "  remat generate samples/gpt.model --resume run --prompt 'A plan '",
            "  remat generate gpt2.model --set T=1024 --init gpt2.safetensors --tokenizer tokenizer.json \\",
            "    --prompt 'Once upon' --temperature 0.8 --top-k 40"
        })
final class GenerateCommand extends ModelCommand {
    /** Elements that every Java virtual machine allows. */
    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

    @ArgGroup(multiplicity = "1")
    private TrainedOptions source;

    @Mixin
    private TensorNames names;

    @Mixin
    private WeightsOption weights;

    @ArgGroup(multiplicity = "1")
    private PromptOptions prompt;

    @Option(
            names = "--tokens",
            paramLabel = "N",
            converter = CountingNumber.OfInt.class,
            defaultValue = "200",
            description = "How many tokens are added. Default: 200.")
    private int count;

    @Option(
            names = "--temperature",
            paramLabel = "X",
            defaultValue = "1",
            description = "What logits are divided by: below 1 likely tokens become likelier. Default: 1.")
    private double temperature;

    @Option(
            names = "--top-k",
            paramLabel = "K",
            defaultValue = "0",
            description = "Draw among the K most likely tokens.")
    private int topK;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            defaultValue = "1",
            description = "Draw among the most likely tokens that together have this probability.")
    private double topP;

    @Option(names = "--greedy", description = "Take the most likely token always.")
    private boolean greedy;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "0",
            description = "Another seed gives another text, the same seed the same. Default: 0.")
    private long seed;

    @Mixin
    private TokenizerOption tokens;

    @Option(
            names = "--stop",
            paramLabel = "TOKEN",
            description =
                    "Ends the text at this token, which is not shown, such as '</s>'; repeat the option for several;"
                            + " 'none' goes on to --tokens. Default: the end token that stands beside the tokenizer.")
    private List<String> stops = new ArrayList<>();

    @Option(
            names = "--logits",
            paramLabel = "NAME",
            description = "The tensor that scores the next token; by default the output 'logits', or the one"
                    + " tensor that cross_entropy and perplexity read.")
    private String logits;

    @Option(
            names = "--whole-passes",
            description = "Compute all positions again for every token, which rounds otherwise and takes longer.")
    private boolean wholePasses;

    @Mixin
    private DeviceOption device;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        Sampling sampling = sampling();
        device.check();
        byte[] text = prompt.read();
        Tokenizer tokenizer = tokens.open();
        Set<Integer> ends = ends(tokenizer);
        int[] before = tokenizer.framing().before();
        int[] written = tokenizer.encode(text);
        int[] begin =
                IntStream.concat(IntStream.of(before), IntStream.of(written)).toArray();
        if (begin.length == 0) {
            throw misuse("the prompt is empty; a model continues what is there");
        }
        try (TrainedTensors trained = source.open(weights, names, spec().commandLine())) {
            LanguageModel language =
                    new LanguageModel(trained.of(model().session()), Optional.ofNullable(logits), spec().commandLine());
            ElaboratedModel longest = language.at(language.longest());
            trained.check(longest);
            Device on = device.open(console());
            try (Generator generator = new Generator(
                    language.longest(),
                    language.isFixed(),
                    window -> load(language.at(window), trained, on, List.of()),
                    continued(language, trained, on),
                    tokenizer,
                    sampling,
                    seed)) {
                run(generator, tokenizer, begin, written, ends, longest);
            }
        }
        return ExitCode.OK.number();
    }

    private Sampling sampling() {
        if (!(temperature >= 0) || Double.isInfinite(temperature)) {
            throw misuse("--temperature is 0 or more, not " + temperature);
        }
        if (topK < 0) {
            throw misuse("--top-k is 1 or more, or 0 for all, not " + topK);
        }
        if (!(topP > 0 && topP <= 1)) {
            throw misuse("--top-p is above 0 and at most 1, not " + topP);
        }
        return greedy ? Sampling.greedy() : new Sampling(temperature, topK, topP);
    }

    private Set<Integer> ends(Tokenizer tokenizer) throws IOException {
        if (stops.isEmpty()) {
            return tokens.file().isPresent() ? EndTokens.of(tokens.file().get(), tokenizer) : Set.of();
        }
        Set<Integer> ends = new TreeSet<>();
        for (String stop : stops.equals(List.of("none")) ? List.<String>of() : stops) {
            ends.add(tokenizer
                    .token(stop)
                    .orElseThrow(() -> misuse("--stop: the tokenizer has no token that is written '" + stop + "'")));
        }
        return ends;
    }

    /** Plans over new positions, where the model has them. */
    private Optional<Continued.Load> continued(LanguageModel language, TrainedTensors trained, Device on) {
        if (wholePasses || language.continuing(language.longest()).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of((window, positions) -> {
            Continuation continuation = language.continuing(window).orElseThrow();
            List<String> names =
                    continuation.kept().stream().map(Continuation.Kept::name).toList();
            return new Continued(
                    load(language.at(continuation, positions), trained, on, names),
                    continuation.positions(),
                    continuation.kept().stream()
                            .map(kept -> new Continued.Kept(kept.name(), kept.axis()))
                            .toList());
        });
    }

    private static Executable load(ElaboratedModel elaborated, TrainedTensors trained, Device on, List<String> zeros) {
        Executable executable = on.load(
                PlanOptions.compile(elaborated, CompileOptions.defaults(), on.target())
                        .plan(),
                false);
        try {
            trained.loadInto(executable, zeros);
            return executable;
        } catch (RuntimeException e) {
            executable.close();
            throw e;
        }
    }

    private void run(
            Generator generator,
            Tokenizer tokenizer,
            int[] begin,
            int[] written,
            Set<Integer> ends,
            ElaboratedModel elaborated)
            throws IOException {
        Console console = console();
        long start = System.nanoTime();
        TokenStream stream = new TokenStream(tokenizer);
        StringBuilder added = new StringBuilder();
        int[] tokens = begin;
        tell(stream.add(written));
        int end = begin.length;
        boolean ended = false;
        while (end - begin.length < count) {
            int next = generator.next(Arrays.copyOf(tokens, end));
            ended = ends.contains(next);
            if (ended) {
                break;
            }
            tokens = with(tokens, end++, next);
            String piece = stream.add(next);
            added.append(piece);
            tell(piece);
        }
        String rest = stream.end();
        added.append(rest);
        tell(rest);
        double seconds = (System.nanoTime() - start) / 1e9;
        if (!output.json()) {
            console.out().println();
            return;
        }
        int[] all = Arrays.copyOf(tokens, end);
        boolean atEnd = ended;
        Json.print(console, out -> {
            out.writeStringField("schema", "remat-generate/1");
            out.writeStringField("model", elaborated.name());
            out.writeStringField("modelHash", elaborated.hash());
            out.writeNumberField("seed", seed);
            out.writeNumberField("promptTokens", begin.length);
            out.writeStringField("text", added.toString());
            out.writeArrayFieldStart("tokens");
            for (int at = begin.length; at < all.length; at++) {
                out.writeNumber(all[at]);
            }
            out.writeEndArray();
            out.writeBooleanField("ended", atEnd);
            out.writeBooleanField("wholePasses", generator.makesWholePasses());
            out.writeNumberField("window", generator.window());
            out.writeNumberField("seconds", seconds);
        });
    }

    /** The array with an element, or a longer one: how many tokens there will be is seen when they are there. */
    private static int[] with(int[] tokens, int at, int token) {
        int[] room =
                at < tokens.length ? tokens : Arrays.copyOf(tokens, (int) Math.min(2L * tokens.length, LARGEST_ARRAY));
        room[at] = token;
        return room;
    }

    private void tell(String piece) {
        if (!output.json()) {
            console().out().print(piece);
            console().out().flush();
        }
    }
}
