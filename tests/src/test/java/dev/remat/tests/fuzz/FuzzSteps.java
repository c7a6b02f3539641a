package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/** Logs that a resumed run is to go on with and that have changed in between. */
final class FuzzSteps implements FuzzKind {
    private static final String TABLE = "log/steps.csv";

    private final SequencedMap<String, byte[]> files;
    private final SequencedMap<String, byte[]> run;

    FuzzSteps(FuzzSeeds seeds) throws IOException {
        run = seeds.trained();
        files = seeds.log();
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        SequencedMap<String, byte[]> changed = new LinkedHashMap<>(files);
        String name = Mutation.once(4, random) ? Mutation.pick(List.copyOf(files.sequencedKeySet()), random) : TABLE;
        byte[] before = files.get(name);
        changed.put(
                name,
                FuzzInput.isText(before)
                        ? Mutation.encoded(
                                Mutation.text(new String(before, StandardCharsets.UTF_8), FuzzLogs.WORDS, random),
                                random)
                        : Mutation.bytes(before, random));
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
                        "@/trained",
                        "--log",
                        "@/log")
                .then("report", "@/log", "-o", "@/report.html", "--json")
                .file("m.model", FuzzSeeds.READER.getBytes(StandardCharsets.UTF_8))
                .file("text", FuzzSeeds.text())
                .files(run)
                .files(changed);
    }
}
