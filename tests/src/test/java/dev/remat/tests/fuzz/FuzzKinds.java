package dev.remat.tests.fuzz;

import dev.remat.compiler.builtin.table.Builtins;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/** The kinds of input by name. */
final class FuzzKinds {
    private static final List<String> WORDS = words();
    static final List<String> KEYS = List.of(
            "id",
            "cost",
            "bytes",
            "inputs",
            "results",
            "resident",
            "pin",
            "viewOf",
            "inPlaceOf",
            "writes",
            "phase",
            "outputs",
            "nodes",
            "format",
            "name",
            "dtype",
            "shape",
            "data_offsets",
            "F32",
            "I64",
            "offset",
            "null",
            "true",
            "{}",
            "[]",
            "\"\"",
            "version",
            "step",
            "seed",
            "w",
            "x");

    private static final List<String> CELLS =
            List.of("x", "x.0", "x.3", "label", "\"", ",", "\n", "\r\n", "nan", "inf", "");

    private FuzzKinds() {}

    private static List<String> words() {
        List<String> words = new ArrayList<>(Builtins.names());
        words.addAll(List.of(
                "model",
                "layer",
                "input",
                "param",
                "symbol",
                "let",
                "output",
                "repeat",
                "for",
                "in",
                "if",
                "else",
                "return",
                "retain",
                "recompute",
                "segments",
                "train",
                "minimize",
                "optimizer",
                "schedule",
                "precision",
                "seed",
                "include",
                "as",
                "none",
                "true",
                "false",
                "and",
                "or",
                "not",
                "then",
                "f32",
                "bf16",
                "f64",
                "i32",
                "i64",
                "bool",
                "adamw",
                "freeze",
                "group",
                "average",
                "ema",
                "\"*.bias\"",
                "cosine",
                "|>",
                "**",
                "==",
                "_",
                "x",
                "loss",
                "B",
                "T",
                "width"));
        return List.copyOf(words);
    }

    /** @param seeds make the files that remat writes itself */
    static SequencedMap<String, FuzzKind> all(FuzzSeeds seeds) throws IOException {
        SequencedMap<String, FuzzKind> kinds = new LinkedHashMap<>();
        kinds.put("models", models(FuzzSeeds.models()));
        kinds.put("training", models(List.of(List.of(FuzzSeeds.TRAINING, "B=2"))));
        kinds.put("options", new FuzzOptions());
        kinds.put("problems", new FuzzProblems(FuzzSeeds.PROBLEM));
        kinds.put("tiers", new FuzzProblems(FuzzSeeds.TIERED));
        kinds.put("buffers", FuzzKinds::buffers);
        kinds.put("artifacts", new FuzzArtifacts(seeds, ""));
        kinds.put("manifests", new FuzzArtifacts(seeds, FuzzArtifacts.MANIFEST));
        kinds.put("costs", costs(seeds));
        kinds.put("safetensors", FuzzKinds::safetensors);
        kinds.put("npy", FuzzKinds::npy);
        kinds.put("checkpoints", new FuzzCheckpoints(seeds, ""));
        kinds.put("metas", new FuzzCheckpoints(seeds, FuzzCheckpoints.META));
        kinds.put("data", FuzzKinds::data);
        kinds.put("trained", new FuzzTrained(seeds));
        kinds.put("csv", FuzzKinds::csv);
        kinds.put("texts", FuzzKinds::texts);
        kinds.put("tokenizers", new FuzzTokenizers(seeds));
        kinds.put("weights", new FuzzWeights());
        kinds.put("imports", new FuzzImports());
        kinds.put("onnx", new FuzzOnnx());
        kinds.put("images", new FuzzImages());
        kinds.put("logs", new FuzzLogs(seeds));
        kinds.put("steps", new FuzzSteps(seeds));
        kinds.put("ranks", new FuzzRanks());
        return kinds;
    }

    private static FuzzKind models(List<List<String>> models) {
        return random -> {
            List<String> model = Mutation.pick(models, random);
            String whole = Mutation.once(10, random)
                    ? Mutation.crossed(
                            model.getFirst(), Mutation.pick(models, random).getFirst(), random)
                    : model.getFirst();
            byte[] text = Mutation.encoded(Mutation.text(whole, WORDS, random), random);
            String set = model.getLast();
            String file = FuzzInput.FOLDER + "m.model";
            FuzzInput input = Mutation.once(10, random)
                    ? FuzzInput.of("fmt", file)
                    : set.isEmpty()
                            ? FuzzInput.of("plan", file, "--json")
                            : FuzzInput.of("plan", file, "--json", "--set", set);
            String others = set.replaceAll("(^|,)B=[^,]*", "");
            boolean runs =
                    !set.isEmpty() && !input.commands().getFirst().getFirst().equals("fmt");
            if (runs && Mutation.once(3, random)) {
                input = input.then("train", file, "--set", set, "--data", "synthetic", "--steps", "1");
            } else if (runs && Mutation.once(4, random)) {
                input = input.then("plan", file, "--set", set, "--strategy", "sqrt");
            } else if (!others.isEmpty() && Mutation.once(8, random)) {
                input = FuzzInput.of(
                        "fit",
                        file,
                        "--symbol",
                        "B",
                        "--budget",
                        "1MiB",
                        "--max",
                        "9",
                        "--effort",
                        "quick",
                        "--set",
                        others.replaceFirst("^,", ""));
            }
            return input.file("m.model", text);
        };
    }

    private static FuzzInput buffers(SplittableRandom random) {
        byte[] text = Mutation.encoded(Mutation.text(FuzzSeeds.BUFFERS, KEYS, random), random);
        String file = FuzzInput.FOLDER + "b.csv";
        FuzzInput input = Mutation.once(2, random)
                ? FuzzInput.of("pack", file, "-o", FuzzInput.FOLDER + "layout.csv")
                : FuzzInput.of("pack", file, "--json", "--capacity", Mutation.pick(List.of("200", "1KiB"), random));
        return input.file("b.csv", text);
    }

    private static FuzzKind costs(FuzzSeeds seeds) throws IOException {
        byte[] profile = seeds.made(
                        "costs.json",
                        "profile",
                        "@/arrays.model",
                        "--repeat",
                        "1",
                        "--warm-up",
                        "0",
                        "-o",
                        "@/costs.json")
                .get("costs.json");
        return random -> {
            byte[] text = Mutation.encoded(Mutation.json(string(profile), KEYS, random), random);
            String prefix = Mutation.once(4, random) ? "roofline:" : "";
            return FuzzInput.of("plan", "@/arrays.model", "--costs", prefix + FuzzInput.FOLDER + "costs.json")
                    .file("arrays.model", bytes(FuzzSeeds.ARRAYS))
                    .file("costs.json", text);
        };
    }

    private static FuzzInput safetensors(SplittableRandom random) {
        boolean single = Mutation.once(2, random);
        byte[] bytes = changed(single ? FuzzSeeds.batch() : FuzzSeeds.arrays(), random);
        String file = FuzzInput.FOLDER + "a.safetensors";
        FuzzInput input = single
                ? FuzzInput.of("grad", "@/m.model", "--inputs", file, "-o", "@/out.safetensors")
                : FuzzInput.of("train", "@/m.model", "--data", file, "--steps", "2");
        return input.file("m.model", bytes(FuzzSeeds.ARRAYS)).file("a.safetensors", bytes);
    }

    /** Bytes anywhere, or tokens of the header with a length that is right. */
    static byte[] changed(byte[] safetensors, SplittableRandom random) {
        if (Mutation.once(2, random)) {
            return Mutation.bytes(safetensors, random);
        }
        int length = safetensors[0] & 0xFF | (safetensors[1] & 0xFF) << 8;
        String header = new String(safetensors, 8, length, StandardCharsets.UTF_8);
        byte[] data = new byte[safetensors.length - 8 - length];
        System.arraycopy(safetensors, 8 + length, data, 0, data.length);
        return FuzzSeeds.safetensors(Mutation.json(header, KEYS, random), data);
    }

    private static FuzzInput npy(SplittableRandom random) {
        String x = "{'descr': '<f4', 'fortran_order': False, 'shape': (10, 3), }";
        String label = "{'descr': '<i8', 'fortran_order': False, 'shape': (10,), }";
        boolean first = Mutation.once(2, random);
        boolean header = Mutation.once(2, random);
        byte[] left = FuzzSeeds.npy(first && header ? Mutation.text(x, KEYS, random) : x, new byte[120]);
        byte[] right = FuzzSeeds.npy(!first && header ? Mutation.text(label, KEYS, random) : label, new byte[80]);
        return FuzzInput.of("train", "@/m.model", "--data", "@/data", "--steps", "1")
                .file("m.model", bytes(FuzzSeeds.ARRAYS))
                .file("data/x.npy", first && !header ? Mutation.bytes(left, random) : left)
                .file("data/label.npy", !first && !header ? Mutation.bytes(right, random) : right);
    }

    private static FuzzInput data(SplittableRandom random) {
        byte[] text = FuzzSeeds.text();
        String sizes = "B=" + Mutation.pick(List.of("1", "2", "7"), random) + ",T="
                + Mutation.pick(List.of("1", "3", "299", "300", "301"), random);
        byte[] content = switch (random.nextInt(4)) {
            case 0 -> new byte[random.nextInt(12)];
            case 1 -> Mutation.bytes(text, random);
            case 2 -> Arrays.copyOf(text, random.nextInt(text.length));
            default -> text;
        };
        FuzzInput input = switch (random.nextInt(3)) {
            case 0 -> FuzzInput.of("train", "@/m.model", "--set", sizes, "--data", "@/d", "--steps", "2");
            case 1 ->
                FuzzInput.of(
                        "train",
                        "@/m.model",
                        "--set",
                        sizes,
                        "--text",
                        "@/d/text",
                        "--steps",
                        "2",
                        "--eval-every",
                        "1");
            default -> FuzzInput.of("train", "@/m.model", "--set", sizes, "--text", "@/d", "--steps", "1");
        };
        FuzzInput whole = input.file("m.model", bytes(FuzzSeeds.READER)).file("d/text", content);
        return Mutation.once(3, random)
                ? whole.file("d/" + Mutation.pick(List.of("a.safetensors", "x.npy", "y.csv"), random), content)
                : whole;
    }

    private static FuzzInput csv(SplittableRandom random) {
        String table = "x.0,x.1,x.2,label\n" + "0.5,-1,2e3,1\n\"3\",0,.25,3\n1,2,3,0\n".repeat(3);
        byte[] text = Mutation.encoded(Mutation.text(table, CELLS, random), random);
        return FuzzInput.of("train", "@/m.model", "--data", "@/a.csv", "--steps", "2")
                .file("m.model", bytes(FuzzSeeds.ARRAYS))
                .file("a.csv", text);
    }

    /** Tables of texts with labels. */
    private static FuzzInput texts(SplittableRandom random) {
        boolean isJson = Mutation.once(2, random);
        String table = isJson
                ? "{\"text\": \"ab, c\", \"label\": 1}\n{\"text\": \"d\", \"label\": \"1\"}\n".repeat(3)
                : "text,label\n" + "ab,1\n\"c,\nd\"\"e\",2\n".repeat(3);
        String name = isJson ? "a.jsonl" : "a.csv";
        return FuzzInput.of(
                        "train",
                        "@/m.model",
                        "--data",
                        "@/" + name,
                        "--label-column",
                        "label",
                        "--steps",
                        "2",
                        "--set",
                        "B=2,T=3")
                .file(
                        "m.model",
                        bytes(FuzzSeeds.READER
                                .replace("targets: i32[B, T]", "targets: i32[B]")
                                .replace("linear(x, 256)", "linear(mean(x, axis = 1), 256)")))
                .file(name, Mutation.encoded(Mutation.text(table, CELLS, random), random));
    }

    private static String string(byte[] text) {
        return new String(text, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
