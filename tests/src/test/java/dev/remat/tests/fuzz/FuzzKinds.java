package dev.remat.tests.fuzz;

import dev.remat.compiler.builtin.table.Builtins;
import dev.remat.ir.io.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** The kinds of input by name. */
final class FuzzKinds {
    private static final List<String> WORDS = words();
    private static final List<String> KEYS = List.of(
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
        kinds.put("problems", FuzzKinds::problem);
        kinds.put("buffers", FuzzKinds::buffers);
        kinds.put("artifacts", artifacts(seeds));
        kinds.put("costs", costs(seeds));
        kinds.put("safetensors", FuzzKinds::safetensors);
        kinds.put("npy", FuzzKinds::npy);
        kinds.put("checkpoints", checkpoints(seeds));
        kinds.put("data", FuzzKinds::data);
        kinds.put("trained", new FuzzTrained(seeds));
        kinds.put("csv", FuzzKinds::csv);
        kinds.put("tokenizers", new FuzzTokenizers(seeds));
        kinds.put("weights", new FuzzWeights());
        kinds.put("images", new FuzzImages());
        kinds.put("logs", new FuzzLogs(seeds));
        return kinds;
    }

    private static FuzzKind models(List<List<String>> models) {
        return random -> {
            List<String> model = Mutation.pick(models, random);
            byte[] text = Mutation.encoded(Mutation.text(model.getFirst(), WORDS, random), random);
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
                        "--memory",
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

    private static FuzzInput problem(SplittableRandom random) {
        byte[] text = Mutation.encoded(Mutation.text(FuzzSeeds.PROBLEM, KEYS, random), random);
        String file = FuzzInput.FOLDER + "p.json";
        FuzzInput input = Mutation.once(2, random)
                ? FuzzInput.of("solve", file, "--strategy", "keep-all", "--json")
                : FuzzInput.of(
                        "solve",
                        file,
                        "--effort",
                        "quick",
                        "--budget",
                        Mutation.pick(List.of("40", "60%"), random),
                        "-o",
                        FuzzInput.FOLDER + "answer.json");
        return input.file("p.json", text);
    }

    private static FuzzInput buffers(SplittableRandom random) {
        byte[] text = Mutation.encoded(Mutation.text(FuzzSeeds.BUFFERS, KEYS, random), random);
        String file = FuzzInput.FOLDER + "b.csv";
        FuzzInput input = Mutation.once(2, random)
                ? FuzzInput.of("pack", file, "-o", FuzzInput.FOLDER + "layout.csv")
                : FuzzInput.of("pack", file, "--json", "--capacity", Mutation.pick(List.of("200", "1KiB"), random));
        return input.file("b.csv", text);
    }

    /** Half of the changes are hidden behind hashes that are right, so that they meet what comes after the check. */
    private static FuzzKind artifacts(FuzzSeeds seeds) throws IOException {
        SequencedMap<String, byte[]> files =
                seeds.made("artifact", "build", "@/arrays.model", "--arch", "sm_90a", "-o", "@/artifact");
        return random -> {
            SequencedMap<String, byte[]> changed = new LinkedHashMap<>(files);
            String name = Mutation.pick(List.copyOf(files.sequencedKeySet()), random);
            byte[] before = files.get(name);
            byte[] after = FuzzInput.isText(before)
                    ? Mutation.encoded(Mutation.text(string(before), KEYS, random), random)
                    : Mutation.bytes(before, random);
            changed.put(name, after);
            if (Mutation.once(2, random) && !name.endsWith("manifest.json")) {
                rehash(changed, before, after);
            }
            if (Mutation.once(30, random)) {
                changed.remove(name);
            }
            FuzzInput input = Mutation.once(3, random)
                    ? FuzzInput.of("explain", FuzzInput.FOLDER + "artifact", "--peak")
                    : FuzzInput.of("inspect", FuzzInput.FOLDER + "artifact");
            return input.files(changed);
        };
    }

    private static void rehash(SequencedMap<String, byte[]> files, byte[] before, byte[] after) {
        String manifest = string(files.get("artifact/manifest.json"))
                .replace(sha256(before), sha256(after))
                .replaceAll("\"bytes\"( ?: ?)" + before.length + "\\b", "\"bytes\"$1" + after.length);
        files.put("artifact/manifest.json", manifest.getBytes(StandardCharsets.UTF_8));
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
            byte[] text = Mutation.encoded(Mutation.text(string(profile), KEYS, random), random);
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
        return FuzzSeeds.safetensors(Mutation.text(header, KEYS, random), data);
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

    private static FuzzKind checkpoints(FuzzSeeds seeds) throws IOException {
        SequencedMap<String, byte[]> files = seeds.made(
                "run",
                "train",
                "@/reader.model",
                "--set",
                "B=2,T=3",
                "--text",
                "@/text",
                "--steps",
                "1",
                "--save",
                "@/run");
        return random -> {
            SequencedMap<String, byte[]> changed = new LinkedHashMap<>(files);
            Map.Entry<String, byte[]> file = Mutation.pick(List.copyOf(files.sequencedEntrySet()), random);
            byte[] after = file.getKey().endsWith(".json")
                    ? Mutation.encoded(Mutation.text(string(file.getValue()), KEYS, random), random)
                    : changed(file.getValue(), random);
            changed.put(file.getKey(), after);
            if (Mutation.once(2, random) && file.getKey().endsWith(".safetensors")) {
                String meta = string(files.get("run/meta.json"));
                String hash = sha256(file.getValue());
                String renamed = file.getKey()
                        .replace(hash.substring(0, 8), sha256(after).substring(0, 8));
                changed.remove(file.getKey());
                changed.put(renamed, after);
                String other = meta.replace(hash, sha256(after))
                        .replaceAll(
                                Pattern.quote(file.getKey().substring("run/".length())),
                                renamed.substring("run/".length()));
                changed.put("run/meta.json", bytes(other));
            }
            return FuzzInput.of(
                            "train",
                            "@/m.model",
                            "--set",
                            "B=2,T=3",
                            "--text",
                            "@/text",
                            "--steps",
                            "2",
                            "--resume",
                            "@/run")
                    .file("m.model", bytes(FuzzSeeds.READER))
                    .file("text", FuzzSeeds.text())
                    .files(changed);
        };
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

    private static String sha256(byte[] content) {
        MessageDigest digest = Sha256.digest();
        digest.update(content);
        return Sha256.hex(digest);
    }

    private static String string(byte[] text) {
        return new String(text, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
