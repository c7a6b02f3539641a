package dev.remat.tests.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Command lines whose options, values and order are not as they should be. */
final class FuzzOptions implements FuzzKind {
    private static final List<String> COMMANDS = List.of(
            "plan", "sweep", "fit", "explain", "solve", "pack", "train", "grad", "profile", "check", "fmt", "inspect",
            "help");
    private static final List<String> VALUES = List.of(
            "60%",
            "1MiB",
            "800MB",
            "100%",
            "h100",
            "sqrt",
            "auto",
            "keep-all",
            "segments=2",
            "revolve=3",
            "chen=0.5",
            "named=x",
            "quick",
            "normal",
            "full",
            "unit",
            "roofline",
            "roofline:h100",
            "cpu",
            "sm_80",
            "sm_90a",
            "f32",
            "bf16",
            "B=2",
            "B=2,T=3",
            "B=2 T=3",
            "T=3,B=2,width=8",
            "synthetic",
            "x=-1..1",
            "x=0..1,label=0..2",
            "symbols,data",
            "precision,seed",
            "@/m.model",
            "@/p.json",
            "@/b.csv",
            "@/none",
            "@/",
            "1",
            "2",
            "B",
            "T",
            "E0301",
            "activations",
            "state",
            "1MiB",
            "1GB/s:1GB/s:1us",
            "host:1MiB:1GB/s:1GB/s",
            "us",
            "plan",
            "");
    private static final List<String> OPTIONS = List.of(
            "--set",
            "--set",
            "--set",
            "--budget",
            "--budget",
            "--strategy",
            "--effort",
            "--costs",
            "--precision",
            "--time-limit",
            "--seed",
            "--target",
            "--full",
            "--peak",
            "--step",
            "--json",
            "--capacity",
            "--symbol",
            "--max",
            "--steps",
            "--data",
            "--text",
            "--save",
            "--resume",
            "--init",
            "--device",
            "--eval-every",
            "--repeat",
            "--warm-up",
            "--budgets",
            "--strategies",
            "--inputs",
            "--values",
            "--step-seed",
            "--help",
            "--debug",
            "--version",
            "-h",
            "--",
            "-",
            "--range",
            "--disk",
            "--disk-budget",
            "--disk-rates",
            "--host-budget",
            "--host-rates",
            "--offload",
            "--tiers",
            "--cost-unit",
            "--save-every",
            "--overwrite",
            "--allow-changed",
            "--budge",
            "-o");
    /** What would take long, or write beside the folder, is left out. */
    private static final List<String> QUICK = List.of("--effort", "quick");

    @Override
    public FuzzInput make(SplittableRandom random) {
        String command = Mutation.pick(COMMANDS, random);
        List<String> words = new ArrayList<>(List.of(command));
        switch (command) {
            case "solve" -> words.add("@/p.json");
            case "pack" -> words.add("@/b.csv");
            case "inspect" -> words.add("@/");
            default -> words.add("@/m.model");
        }
        if (List.of("plan", "sweep", "fit", "explain", "diff", "train", "grad", "profile", "check")
                .contains(command)) {
            words.addAll(List.of("--set", command.equals("fit") ? "T=3" : "B=2,T=3"));
        }
        switch (command) {
            case "train" -> words.addAll(List.of("--data", "synthetic", "--steps", "1"));
            case "explain" ->
                words.add(Mutation.pick(List.of("--peak", "--step=1", "loss", "m.model:4", "x'", ":"), random));
            case "diff" ->
                words.add(Mutation.pick(List.of("@/m.model", "@/m.model@sqrt", "@/m.model@90%", "@/p.json"), random));
            case "fit" -> words.addAll(List.of("--symbol", "B", "--budget", "1MiB", "--max", "5"));
            case "profile" -> words.addAll(List.of("--repeat", "1", "--warm-up", "0", "-o", "@/costs.json"));
            case "sweep" -> words.addAll(List.of("--strategies", "sqrt,keep-all", "--budgets", "80%"));
            default -> {}
        }
        if (List.of("plan", "sweep", "fit", "explain", "diff", "solve", "train").contains(command)) {
            words.addAll(QUICK);
        }
        for (int more = random.nextInt(4); more > 0; more--) {
            words.add(Mutation.pick(OPTIONS, random));
            if (!Mutation.once(5, random)) {
                words.add(value(random));
            }
        }
        for (int edits = random.nextInt(3); edits > 0; edits--) {
            int at = random.nextInt(words.size());
            switch (random.nextInt(4)) {
                case 0 -> words.set(at, value(random));
                case 1 -> words.set(at, value(words.get(at), random));
                case 2 -> words.add(at, words.get(random.nextInt(words.size())));
                default -> words.set(at, words.get(random.nextInt(words.size())));
            }
        }
        words.removeIf(word -> word.indexOf('\0') >= 0);
        return FuzzInput.of(safe(words).toArray(String[]::new))
                .file("m.model", FuzzSeeds.READER.getBytes(StandardCharsets.UTF_8))
                .file("p.json", FuzzSeeds.PROBLEM.getBytes(StandardCharsets.UTF_8))
                .file("b.csv", FuzzSeeds.BUFFERS.getBytes(StandardCharsets.UTF_8));
    }

    private static String value(SplittableRandom random) {
        return value(Mutation.pick(VALUES, random), random);
    }

    private static String value(String value, SplittableRandom random) {
        if (value.isEmpty() || !Mutation.once(2, random)) {
            return value;
        }
        String unit = Mutation.pick(List.of("", "%", "GiB", "MB", "B"), random);
        return Mutation.once(3, random)
                ? Mutation.pick(Mutation.NUMBERS, random) + unit
                : Mutation.text(value, VALUES, random);
    }

    /** Runs in the folder alone, and not for long. */
    static List<String> safe(List<String> words) {
        List<String> safe = new ArrayList<>();
        String last = "";
        for (String word : words) {
            boolean counts = List.of("--steps", "--repeat", "--warm-up", "--max", "--tokens")
                            .contains(last)
                    && word.matches("[+]?[0-9]{2,18}");
            boolean writes = List.of("-o", "--save", "--dump-dir", "--output").contains(last);
            safe.add(counts ? "3" : writes && !word.startsWith(FuzzInput.FOLDER) ? "@/out" : word);
            last = word;
        }
        return safe;
    }
}
