package dev.remat.cli.option;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.TypedWords;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.CheckpointSink;
import dev.remat.runtime.checkpoint.ResumeRules;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.checkpoint.SharedRunFolder;
import dev.remat.runtime.log.RunLog;
import dev.remat.runtime.process.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Where a run is saved to, and what it goes on from. */
public final class RunOptions extends CheckedOptions {
    private static final String OVERWRITE = "--overwrite";
    private static final String RESUME = "--resume";
    /** Options with a value by which a run begins, and none goes on. */
    private static final Set<String> FIRST_ALONE = Set.of(RESUME, "--init");

    @Option(
            names = "--save",
            paramLabel = "DIR",
            description = "Write a checkpoint at the end, when interrupted, and when the run stops by itself.")
    private Path save;

    @Option(
            names = "--save-every",
            paramLabel = "K",
            converter = CountingNumber.OfLong.class,
            description = "Write a checkpoint after every K steps, too.")
    private Long saveEvery;

    @Option(
            names = OVERWRITE,
            description =
                    "Replace the checkpoint of another run that --save's folder holds, and the log in --log's; else"
                            + " that is refused.")
    private boolean overwrite;

    @Option(
            names = "--log",
            paramLabel = "DIR",
            description = "Write losses, outputs, rate, time and memory of every step for TensorBoard, and as"
                    + " steps.csv.")
    private Path log;

    @Option(
            names = RESUME,
            paramLabel = "DIR",
            description = "Go on where a checkpoint was written, with its symbols, hyper-parameters, precision and seed"
                    + " where nothing else is said.")
    private Path resume;

    @Option(
            names = "--allow-changed",
            paramLabel = "PART",
            split = ",",
            converter = PartConverter.class,
            description = "Resume although these differ from the checkpoint's run: symbols (such as the batch size),"
                    + " data, precision, seed.")
    private Set<Part> allowed = EnumSet.noneOf(Part.class);

    /** For picocli. */
    static final class PartConverter implements ITypeConverter<Part> {
        @Override
        public Part convert(String label) {
            return Part.ofLabel(label)
                    .filter(ResumeRules.allowable()::contains)
                    .orElseThrow(() -> new TypeConversionException("'" + label + "' cannot be allowed to change; there"
                            + " are "
                            + ResumeRules.allowable().stream()
                                    .sorted()
                                    .map(Part::label)
                                    .collect(Collectors.joining(", "))));
        }
    }

    /** @throws ParameterException if an option lacks the one that it belongs to */
    public void check() {
        require(save != null || saveEvery == null, "--save-every needs --save DIR");
        require(save != null || log != null || !overwrite, "--overwrite needs --save DIR or --log DIR");
        require(resume != null || allowed.isEmpty(), "--allow-changed needs --resume DIR");
    }

    /**
     * Takes the folder to save to, if there is one, and removes what killed runs left in it and in that which the run
     * goes on from.
     */
    public Optional<RunFolder> openFolder() throws IOException {
        if (save == null) {
            if (resume != null) {
                RunFolder.tidy(resume);
            }
            return Optional.empty();
        }
        boolean continues = resume != null && Files.exists(save) && Files.exists(resume) && same();
        if (resume != null && !continues) {
            RunFolder.tidy(resume);
        }
        Existing existing = continues ? Existing.CONTINUE : overwrite ? Existing.OVERWRITE : Existing.KEEP;
        return Optional.of(RunFolder.open(save, existing, typed()));
    }

    /**
     * Where the state goes, if anywhere.
     *
     * @param held the folder, unless another process holds it
     * @param group that saves together, if it is not this process alone
     */
    public Optional<CheckpointSink> sink(Optional<RunFolder> held, Optional<ProcessGroup> group) {
        return group.isPresent()
                ? Optional.ofNullable(save).map(folder -> new SharedRunFolder(group.get(), folder, held))
                : held.map(folder -> folder);
    }

    /** The checkpoint to go on from, if there is one. */
    public Optional<Checkpoint> openCheckpoint() throws IOException {
        return resume == null ? Optional.empty() : Optional.of(Checkpoint.open(resume));
    }

    /** The same for all ranks that are processes, at a time; alone where some go on from none, and so will disagree. */
    public Optional<Checkpoint> openCheckpoint(ProcessGroup group) throws IOException {
        return group.any(resume == null) ? openCheckpoint() : Optional.of(Checkpoint.open(resume, group));
    }

    /** Takes the folder to log to, if there is one. */
    public Optional<RunLog> openLog() throws IOException {
        if (log == null) {
            return Optional.empty();
        }
        Existing existing = resume != null ? Existing.CONTINUE : overwrite ? Existing.OVERWRITE : Existing.KEEP;
        return Optional.of(RunLog.open(log, existing, typed()));
    }

    /** What the user has typed. */
    public TypedWords words() {
        return new TypedWords(command().root().commandLine().getParseResult().originalArgs());
    }

    private String typed() {
        return "remat " + String.join(" ", words().words());
    }

    /** The words that go on where this run has saved. */
    public TypedWords again() {
        return words().without(FIRST_ALONE).withoutFlag(OVERWRITE).and(RESUME, save.toString());
    }

    /** The words that do over again what has left no checkpoint, but perhaps a log. */
    public TypedWords anew() {
        return log == null || resume != null || overwrite ? words() : words().and(OVERWRITE);
    }

    /** The command line that goes on where this run has saved, as a shell takes it. */
    public String goingOn() {
        return "remat " + again().text();
    }

    /** What the checkpoint in the folder to save to says of itself; another text when a run has saved there. */
    public Optional<String> saved() throws IOException {
        return save == null ? Optional.empty() : Checkpoint.description(save);
    }

    private boolean same() throws IOException {
        return Files.isSameFile(save, resume);
    }

    /** Null if the run starts anew. */
    public Path resume() {
        return resume;
    }

    /** Steps between checkpoints; a number that no run reaches without them. */
    public long saveEvery() {
        return saveEvery == null ? Long.MAX_VALUE : saveEvery;
    }

    /**
     * What decides when ranks do what all of them take part in, by option.
     *
     * @param before what is gone on from
     * @param steps of all
     * @param evalEvery null if nothing is evaluated
     * @param evalBatches of one evaluation
     */
    public SortedMap<String, String> timed(Optional<Checkpoint> before, long steps, Long evalEvery, long evalBatches) {
        SortedMap<String, String> timed = new TreeMap<>();
        timed.put(RESUME, before.map(Checkpoint::name).orElse("not given"));
        timed.put("--steps", String.valueOf(steps));
        timed.put("--save", save == null ? "not given" : "given");
        timed.put("--save-every", saveEvery == null ? "not given" : String.valueOf(saveEvery));
        timed.put("--eval-every", evalEvery == null ? "not given" : evalEvery + " with --eval-batches " + evalBatches);
        return timed;
    }

    /** What is known of the checkpoint's run, without what may change. */
    public RunFacts kept(RunFacts run) {
        return allowed.contains(Part.PRECISION) ? run.with(Part.PRECISION, Map.of()) : run;
    }

    /** What may differ from the run that this one goes on from. */
    public Set<Part> allowed() {
        return allowed;
    }
}
