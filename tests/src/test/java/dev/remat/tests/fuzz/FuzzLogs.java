package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Logs of runs, and what they tell of their plans. */
final class FuzzLogs implements FuzzKind {
    static final List<String> WORDS = List.of(
            "step",
            "loss",
            "eval/loss",
            "rate",
            "memory/arena_bytes",
            ",",
            "\n",
            "\r\n",
            "NaN",
            "Infinity",
            "-",
            "1e9",
            "0x1p3",
            "",
            "null",
            "schema",
            "measured",
            "kernels",
            "{",
            "[");

    private final byte[] plan;

    FuzzLogs(FuzzSeeds seeds) throws IOException {
        plan = seeds.log().get("log/steps.plan.json");
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        String table = "step,loss,millis,memory/arena_bytes,eval/loss\n"
                + "1,4.5,12.25,4096,\n2,NaN,11,4096,3.5\n5,-1.25e-3,10,4096,\n";
        boolean inPlan = Mutation.once(3, random);
        byte[] steps = bytes(table);
        byte[] planned = plan;
        if (inPlan) {
            planned = Mutation.encoded(Mutation.json(new String(plan, StandardCharsets.UTF_8), WORDS, random), random);
        } else {
            steps = Mutation.encoded(Mutation.text(table, WORDS, random), random);
        }
        FuzzInput input = FuzzInput.of(
                        "report", FuzzInput.FOLDER + "run", "-o", FuzzInput.FOLDER + "report.html", "--json")
                .file("run/steps.csv", steps);
        return inPlan || Mutation.once(2, random) ? input.file("run/steps.plan.json", planned) : input;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
