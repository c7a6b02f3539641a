package dev.remat.tests.gpu;

import dev.remat.ir.artifact.Artifact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Times the same training step in PyTorch, by {@code torch_step.py} beside the cases, where that can use the GPU. */
final class TorchSteps {
    private static final int STEPS = 16;
    private static final int WARM_UP = 6;
    private static final Duration START = Duration.ofSeconds(40);
    private static final Pattern MILLIS = Pattern.compile("\\{\"step\": ([0-9]+),.*\"millis\": ([0-9.]+)\\}");

    private final Path python;
    private final Path script;

    private TorchSteps(Path python, Path script) {
        this.python = python;
        this.script = script;
    }

    /** Nothing where there is no PyTorch that uses the GPU. */
    static Optional<TorchSteps> find(Path cases) throws IOException {
        Path script = cases.resolveSibling("torch_step.py");
        Optional<Path> python = OtherProgram.find("python3", List.of());
        if (python.isEmpty() || !Files.exists(script)) {
            return Optional.empty();
        }
        String question = "import sys, torch; sys.exit(not torch.cuda.is_available())";
        return OtherProgram.run(List.of(python.get().toString(), "-c", question), START)
                        .isSuccess()
                ? Optional.of(new TorchSteps(python.get(), script))
                : Optional.empty();
    }

    /**
     * Median milliseconds of a step in mixed precision; nothing if it has failed or taken too long.
     *
     * @param artifact of the sample, whose settings it takes
     */
    Optional<Double> run(Artifact artifact, boolean compiled, Duration time) throws IOException {
        String settings = artifact.manifest().build().settings().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
        List<String> command = new ArrayList<>(List.of(python.toString(), script.toString()));
        command.add(artifact.manifest().model().toLowerCase(Locale.ROOT));
        command.addAll(List.of("--set", settings, "--steps", Integer.toString(STEPS)));
        command.addAll(List.of("--device", "cuda", "--bf16", "--channels-last"));
        if (compiled) {
            command.add("--compile");
        }
        OtherProgram.Ended ended = OtherProgram.run(command, time);
        double[] millis = ended.output().stream()
                .map(MILLIS::matcher)
                .filter(Matcher::matches)
                .filter(line -> Integer.parseInt(line.group(1)) > WARM_UP)
                .mapToDouble(line -> Double.parseDouble(line.group(2)))
                .toArray();
        Arrays.sort(millis);
        return ended.isSuccess() && millis.length > 0 ? Optional.of(millis[millis.length / 2]) : Optional.empty();
    }
}
