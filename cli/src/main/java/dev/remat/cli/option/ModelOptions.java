package dev.remat.cli.option;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.option.MicroBatchOptions.BatchNorm;
import dev.remat.cli.option.MicroBatchOptions.Count;
import dev.remat.cli.trained.BatchedModel;
import dev.remat.cli.trained.LanguageModel;
import dev.remat.cli.trained.TrainedTensors;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.fit.ModelByExtent;
import dev.remat.compiler.split.CutBatch;
import dev.remat.compiler.split.RefuseBatchNorms;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.unread.UnreadNames;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.SourceFiles;
import dev.remat.runtime.checkpoint.RunFacts;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which model, with which values for its symbols and hyper-parameters. */
public final class ModelOptions {
    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    private CommandLine.Model.CommandSpec command;

    @Parameters(paramLabel = "MODEL", description = "A model file.")
    private Path file;

    @Mixin
    private SettingOptions set;

    private final List<Source> sources = new ArrayList<>();
    private Model parsed;
    private EarlierRun earlier = EarlierRun.NONE;
    private Optional<Integer> microBatches = Optional.empty();
    private MicroBatchOrder microBatchOrder = MicroBatchOrder.DEPTH;
    /** Whether a command chooses the number of micro-batches, so that an order may be given for nothing. */
    private boolean choosesMicroBatches;

    private BatchNorm batchNorm = BatchNorm.MICRO;

    /** A model that is named otherwise than by the one argument {@code MODEL}. */
    public static ModelOptions of(Path file, SettingOptions set, CommandLine.Model.CommandSpec command) {
        ModelOptions options = new ModelOptions();
        options.file = file;
        options.set = set;
        options.command = command;
        return options;
    }

    /**
     * From now on takes what a run was given where nothing is given now: symbols, hyper-parameters, micro-batches,
     * precision and seed.
     *
     * @param place of its checkpoint
     * @throws dev.remat.runtime.io.CorruptFileException if it is of another model
     * @throws dev.remat.ir.diagnostic.ModelException if the model cannot be parsed
     */
    public void trainedAs(Path place, RunFacts run) {
        earlier = EarlierRun.of(place, run, parsed());
    }

    /** The same for what training left, if it is a checkpoint. */
    public void trainedAs(TrainedTensors trained) {
        trained.meta().ifPresent(meta -> trainedAs(trained.place(), meta.run()));
    }

    /**
     * From now on cuts batches as the user asked for, whatever the model and an earlier run say.
     *
     * @param choose takes a number, given the model by that number
     * @return what was chosen, if the user leaves it open
     */
    public Optional<MicroBatchChoice> cut(
            MicroBatchOptions batches,
            Purpose purpose,
            Function<IntFunction<ElaboratedModel>, MicroBatchChoice> choose) {
        if (!(batches.count() instanceof Count.Auto)) {
            cut(batches);
            return Optional.empty();
        }
        batchNorm = batches.batchNorm();
        microBatchOrder = batches.order();
        choosesMicroBatches = true;
        MicroBatchChoice choice = choose.apply(count -> {
            cutInto(count);
            return elaborate(purpose);
        });
        cutInto(choice.count());
        return Optional.of(choice);
    }

    /**
     * The same by a command that does not choose.
     *
     * @throws ParameterException if the number is to be chosen
     */
    public void cut(MicroBatchOptions batches) {
        batchNorm = batches.batchNorm();
        microBatchOrder = batches.order();
        switch (batches.count()) {
            case Count.Given(int number) -> cutInto(number);
            case Count.AsModelSays() -> {}
            case Count.Auto() ->
                throw new ParameterException(command.commandLine(), "--micro-batches takes a number here, not auto");
        }
    }

    private void cutInto(int parts) {
        microBatches = Optional.of(parts);
    }

    /** The earlier run's number of micro-batches where the model says another and the user nothing. */
    public Optional<String> microBatchesOfEarlierRun() {
        int own = Elaborator.elaborate(parsed(), bindings(), Purpose.TRAIN)
                .training()
                .microBatches();
        return earlier.microBatches()
                .filter(count -> microBatches.isEmpty() && count != own)
                .map(count -> "micro_batches is " + count + ", " + own + " in the model");
    }

    /**
     * Hyper-parameters of the training that are the earlier run's while the model says something else, such as
     * {@code rate is 0.02, 0.01 in the model}.
     *
     * @param model as it was elaborated
     */
    public List<String> keptFromEarlierRun(ElaboratedModel model) {
        Map<String, String> own = read(Purpose.TRAIN, set.bindings().after(earlier.ofModel()))
                .identity()
                .training();
        return earlier.ofTraining().keySet().stream()
                .filter(own::containsKey)
                .filter(name ->
                        !own.get(name).equals(model.identity().training().get(name)))
                .map(name ->
                        name + " is " + model.identity().training().get(name) + ", " + own.get(name) + " in the model")
                .toList();
    }

    /**
     * Reads the model.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if a symbol is left without a value
     */
    public ElaboratedModel elaborate(Purpose purpose) {
        ElaboratedModel cut =
                CutBatch.run(complete(read(purpose, bindings()), ""), bindings(), settings -> read(purpose, settings));
        if (batchNorm == BatchNorm.ERROR) {
            RefuseBatchNorms.run(cut);
        }
        if (microBatchOrder == MicroBatchOrder.BREADTH
                && !choosesMicroBatches
                && purpose != Purpose.EVALUATE
                && cut.microBatches().isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--micro-batch-order breadth needs a batch that is cut; --micro-batches M cuts it");
        }
        return cut;
    }

    /**
     * The same with its batch whole, however it is cut.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if a symbol is left without a value
     */
    public ElaboratedModel elaborateWhole(Purpose purpose) {
        return complete(read(purpose, bindings()), "").withMicroBatches(1);
    }

    /** The model as it is evaluated beside a step: on the rows of a micro-batch where that averages to the same. */
    public ElaboratedModel evaluation(ElaboratedModel trained) {
        return CutBatch.ofEvaluation(
                elaborateWhole(Purpose.EVALUATE), trained, bindings(), settings -> read(Purpose.EVALUATE, settings));
    }

    /**
     * The model with as many symbols bound as there are settings for.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     */
    public ElaboratedModel open(Purpose purpose) {
        return read(purpose, bindings());
    }

    /**
     * The model to be trained, by the extent of one of its symbols, cut as the user or the model says.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException unless it is a symbol of the model's which no setting gives a value, while all others
     *     have one
     */
    public ModelByExtent byExtent(String symbol) {
        requireFree(symbol);
        complete(read(Purpose.TRAIN, bindings()), symbol);
        return new ModelByExtent(symbol, bindings(), settings -> read(Purpose.TRAIN, settings));
    }

    /** The same cut into another number of micro-batches. */
    public ModelByExtent byExtent(String symbol, int parts) {
        cutInto(parts);
        return byExtent(symbol);
    }

    /**
     * The model by the number of its samples.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if a symbol is left without a value
     */
    public BatchedModel batched(Purpose purpose) {
        return BatchedModel.of(elaborate(purpose), bindings(), settings -> read(purpose, settings));
    }

    /**
     * The model as one that continues tokens.
     *
     * @param logits name of the value that scores the next token, where it is not found by itself
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if it is no such model, or a symbol is left without a value
     */
    public LanguageModel language(Optional<String> logits) {
        return LanguageModel.of(
                bindings(), settings -> read(Purpose.EVALUATE, settings), logits, command.commandLine());
    }

    /**
     * For a command that computes nothing.
     *
     * @param wayOut what does instead
     * @throws ParameterException if there is a precision
     */
    public void refusePrecision(String wayOut) {
        if (set.precision().isPresent()) {
            throw new ParameterException(command.commandLine(), "--precision says nothing here; " + wayOut);
        }
    }

    /** Tells on {@code err} what is odd about the model though it can be compiled. */
    public void warn(Console console) {
        DiagnosticText.print(UnreadNames.of(parsed()), console);
    }

    private void requireFree(String symbol) {
        List<String> symbols = read(Purpose.TRAIN, bindings()).symbols();
        if (!symbols.contains(symbol)) {
            String nearest =
                    Suggestion.note(symbol, symbols).map(note -> "; " + note).orElse("");
            throw new ParameterException(
                    command.commandLine(),
                    "the model has no symbol '" + symbol + "'" + nearest
                            + (symbols.isEmpty() ? "" : " (symbols: " + String.join(", ", symbols) + ")"));
        }
        if (bindings().values().containsKey(symbol)) {
            throw new ParameterException(
                    command.commandLine(),
                    "the extent of " + symbol + " is what is looked for, so --set must not give it");
        }
    }

    private ElaboratedModel read(Purpose purpose, Bindings bindings) {
        ElaboratedModel model = Elaborator.elaborate(parsed(), bindings, purpose);
        ElaboratedModel seeded = earlier.seed().map(model::withSeed).orElse(model);
        ElaboratedModel cut = microBatches
                .or(earlier::microBatches)
                .map(seeded::withMicroBatches)
                .orElse(seeded)
                .with(microBatchOrder);
        return set.precision().or(earlier::precision).map(cut::withPrecision).orElse(cut);
    }

    private Model parsed() {
        if (parsed == null) {
            Source main = SourceFiles.read(file);
            sources.add(main);
            parsed = ModelParser.parse(main, keeping(new FolderIncludes(file)));
        }
        return parsed;
    }

    private IncludeResolver keeping(IncludeResolver includes) {
        return (path, from) -> {
            IncludeResolver.Result result = includes.resolve(path, from);
            if (result instanceof IncludeResolver.Found(Source source) && !sources.contains(source)) {
                sources.add(source);
            }
            return result;
        };
    }

    /** The files that the model was read from, its own first, named as locations name them. */
    public List<Source> sources() {
        parsed();
        return List.copyOf(sources);
    }

    /** @param free a symbol that needs no value yet */
    private ElaboratedModel complete(ElaboratedModel model, String free) {
        for (String symbol : model.open()) {
            if (!symbol.equals(free)) {
                throw new ParameterException(
                        command.commandLine(),
                        "the model's symbol " + symbol + " needs a value, such as --set " + symbol + "=16");
            }
        }
        return model;
    }

    private Bindings bindings() {
        return set.bindings().after(earlier.all());
    }

    public Path file() {
        return file;
    }

    /** Everything that was set, by name, as it was written. */
    public SequencedMap<String, String> settings() {
        return new LinkedHashMap<>(new TreeMap<>(bindings().values()));
    }

    /** A source's name as seen from the model's folder, so that it does not tell where that lies. */
    public String relative(String source) {
        try {
            Path folder = file.toAbsolutePath().normalize().getParent();
            Path path = Path.of(source).toAbsolutePath().normalize();
            return path.startsWith(folder) ? folder.relativize(path).toString().replace('\\', '/') : source;
        } catch (InvalidPathException e) {
            return source;
        }
    }
}
