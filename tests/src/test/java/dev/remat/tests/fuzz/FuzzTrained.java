package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/** Command lines that use a trained model, with options, values and texts that are not as they should be. */
final class FuzzTrained implements FuzzKind {
    private static final List<String> OPTIONS = List.of(
            "--set",
            "--batches",
            "--weights",
            "--precision",
            "--prompt",
            "--tokens",
            "--temperature",
            "--top-k",
            "--top-p",
            "--logits",
            "--all",
            "--seed",
            "--dtype",
            "--greedy",
            "--tokenizer",
            "--names",
            "--prefix",
            "--prompt-file",
            "--data",
            "--range",
            "--init",
            "--format",
            "--opset",
            "--external",
            "--outputs",
            "--inputs",
            "--json",
            "-o");
    private static final List<String> VALUES = List.of(
            "B=2",
            "T=3",
            "B=2,T=3",
            "width=8",
            "averaged",
            "trained",
            "f32",
            "f64",
            "bf16",
            "abc",
            "table",
            "0",
            "1",
            "0.5",
            "@/run",
            "@/text",
            "@/none",
            "@/apart.safetensors",
            "onnx",
            "18",
            "23",
            "loss",
            "logits",
            "tokens",
            "@/names",
            "synthetic",
            "x=0..1",
            "@/m.model",
            "");

    private final SequencedMap<String, byte[]> run;

    FuzzTrained(FuzzSeeds seeds) throws IOException {
        run = seeds.trained();
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        String command = Mutation.pick(List.of("eval", "generate", "export"), random);
        List<String> words = new ArrayList<>(List.of(command, "@/m.model", "--resume", "@/trained"));
        switch (command) {
            case "eval" -> words.addAll(List.of("--set", "B=2,T=3", "--text", "@/text"));
            case "generate" -> words.addAll(List.of("--set", "T=3", "--prompt", "ab", "--tokens", "3"));
            default -> {
                words.addAll(List.of("-o", "@/out.safetensors"));
                if (Mutation.once(2, random)) {
                    words.addAll(List.of("--format", "onnx"));
                }
            }
        }
        for (int more = random.nextInt(3); more > 0; more--) {
            words.add(Mutation.pick(OPTIONS, random));
            if (!Mutation.once(5, random)) {
                words.add(value(random));
            }
        }
        if (Mutation.once(3, random)) {
            words.set(random.nextInt(words.size()), value(random));
        }
        return FuzzInput.of(FuzzOptions.safe(words).toArray(String[]::new))
                .file("m.model", FuzzSeeds.READER.getBytes(StandardCharsets.UTF_8))
                .file("text", FuzzSeeds.text())
                .file("names", "out.weight lm_head.weight\nout.weight wte\n".getBytes(StandardCharsets.UTF_8))
                .files(run);
    }

    private static String value(SplittableRandom random) {
        String value =
                Mutation.once(4, random) ? Mutation.pick(Mutation.NUMBERS, random) : Mutation.pick(VALUES, random);
        String changed = Mutation.once(4, random) ? Mutation.text(value, VALUES, random) : value;
        return changed.replace("\0", "");
    }
}
