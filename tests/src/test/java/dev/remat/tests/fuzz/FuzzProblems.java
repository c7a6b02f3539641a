package dev.remat.tests.fuzz;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Graphs from elsewhere that contradict themselves, solved, swept or explained.
 *
 * @param sound a problem of either version
 */
record FuzzProblems(String sound) implements FuzzKind {
    private static final List<String> WORDS = List.of(
            "w",
            "m",
            "x",
            "y",
            "p",
            "q",
            "u",
            "dx",
            "host",
            "disk",
            "device",
            "forward",
            "backward",
            "update",
            "offload",
            "retain",
            "recompute",
            "remat-problem/1",
            "remat-problem/2",
            "");

    @Override
    public FuzzInput make(SplittableRandom random) {
        byte[] text = Mutation.encoded(Mutation.json(sound, WORDS, random), random);
        String file = FuzzInput.FOLDER + "p.json";
        FuzzInput input = switch (random.nextInt(6)) {
            case 0, 1 -> FuzzInput.of("solve", file, "--strategy", "keep-all", "--json");
            case 2 ->
                FuzzInput.of(
                        "sweep",
                        file,
                        "--strategies",
                        "keep-all,sqrt",
                        "--budgets",
                        "90%,60%",
                        "--effort",
                        "quick",
                        "--json");
            default ->
                FuzzInput.of(
                        "solve",
                        file,
                        "--effort",
                        "quick",
                        "--budget",
                        Mutation.pick(List.of("40", "300", "60%", "80%"), random),
                        "-o",
                        FuzzInput.FOLDER + "answer.json");
        };
        return input.file("p.json", text);
    }
}
