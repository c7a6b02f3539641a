package dev.remat.tests.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Trainings on several ranks: options that contradict each other, numbers that do not divide, models that change. */
final class FuzzRanks implements FuzzKind {
    /** Its weight is as large as what ranks have shares of. */
    private static final String MODEL = """
        remat 1
        model Wide(width: int = 130) {
          symbol B
          input x: f32[B, 130]
          input label: i32[B]
          h = linear(x, width) as wide |> batch_norm |> relu |> dropout(0.5)
          loss = cross_entropy(linear(h, 3) as head, label)
          output loss
        }
        train {
          minimize loss
          optimizer adam(lr = 0.01, clip_norm = 1.0)
          average ema(decay = 0.9)
          micro_batches 4
        }
        """;

    private static final List<String> WORDS = List.of(
            "model",
            "input",
            "param",
            "loss",
            "B",
            "width",
            "mean",
            "sum",
            "shape(x, 0)",
            "batch_norm",
            "detach",
            "micro_batches",
            "loss_scale",
            "dynamic",
            "precision",
            "bf16",
            "freeze",
            "adafactor",
            "sgd",
            "group");
    private static final List<String> RANKS = List.of("2", "2", "4", "4", "2", "1,2", "1,2,4", "4,2", "3", "0", "");
    private static final List<String> SHARD =
            List.of("none", "optimizer", "gradients", "parameters", "parameters", "auto", "auto", "auto", "all");
    private static final List<String> LINKS = List.of(
            "10Gbit:20us",
            "10Gbit:20us",
            "1GB/s",
            "100Mbit:1ms",
            "0bit",
            "10Gbit:",
            ":20us",
            "10Gbit:20us:1",
            "1e99bit:1us",
            "");
    private static final List<String> MICRO_BATCHES = List.of("4", "4", "4", "8", "8", "2", "3", "auto", "0");
    private static final List<String> ODD = List.of(
            "--micro-batch-order=breadth",
            "--micro-batch-order=depth",
            "--batch-norm=error",
            "--budget=60%",
            "--budget=90%",
            "--budget=1KiB",
            "--chunks=2",
            "--stages=2",
            "--precision=f16",
            "--precision=f64",
            "--strategy=peak-priority",
            "--strategy=offload",
            "--host-budget=1MiB",
            "--offload=all",
            "--seed=3",
            "--json");

    @Override
    public FuzzInput make(SplittableRandom random) {
        boolean changed = Mutation.once(3, random);
        String text = changed ? Mutation.text(MODEL, WORDS, random) : MODEL;
        String command =
                Mutation.pick(List.of("check", "check", "check", "train", "plan", "plan", "sweep", "explain"), random);
        List<String> words = new ArrayList<>(List.of(command, FuzzInput.FOLDER + "m.model"));
        if (command.equals("explain")) {
            words.add(Mutation.pick(List.of("wide.weight", "head.weight", "loss", "--peak"), random));
        }
        words.addAll(List.of("--set", Mutation.pick(List.of("B=8", "B=8", "B=8", "B=16", "B=6", "B=0"), random)));
        switch (command) {
            case "check" -> words.addAll(List.of("--steps", "1", "--strategy", "keep-all"));
            case "train" -> words.addAll(List.of("--data", "synthetic", "--steps", "1"));
            case "sweep" -> words.addAll(List.of("--budgets", "90%"));
            default -> {}
        }
        if (!command.equals("check")) {
            words.addAll(List.of("--effort", "quick"));
        }
        add(words, "--ranks", RANKS, random);
        add(words, "--shard", SHARD, random);
        add(words, "--micro-batches", MICRO_BATCHES, random);
        if (!List.of("check", "train").contains(command)) {
            add(words, "--link", LINKS, random);
        }
        for (int more = Math.max(0, random.nextInt(5) - 2); more > 0; more--) {
            words.add(Mutation.pick(ODD, random));
        }
        return FuzzInput.of(FuzzOptions.safe(words).toArray(String[]::new))
                .file("m.model", text.getBytes(StandardCharsets.UTF_8));
    }

    /** Mostly with a value that means something. */
    private static void add(List<String> words, String option, List<String> values, SplittableRandom random) {
        if (Mutation.once(5, random)) {
            return;
        }
        String value = Mutation.pick(values, random);
        words.add(option);
        words.add(Mutation.once(8, random) ? value + Mutation.pick(Mutation.NUMBERS, random) : value);
    }
}
