package dev.remat.compiler.model;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.split.CutBatch;
import dev.remat.compiler.split.RefuseBatchNorms;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.ModelException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model with its settings, and what can be asked of it. Each purpose is elaborated once, where a batch is cut over
 * any number of its rows, if the body allows that. Sessions with other settings share what was elaborated; they all
 * belong to one thread at a time.
 *
 * <p>Questions throw a {@link ModelException} where the model is wrong or a setting does not suit it, and an {@link
 * UnboundSymbolException} where a symbol is needed and has no value.
 */
public final class ModelSession {
    /** The setting of a training that says how its batch is cut. */
    private static final String MICRO_BATCHES = "micro_batches";

    private final ModelSettings settings;
    private final Elaborations elaborations;

    private ModelSession(ModelSettings settings, Elaborations elaborations) {
        this.settings = settings;
        this.elaborations = elaborations;
    }

    /** Reads nothing yet. */
    public static ModelSession of(ModelSource source, ModelSettings settings) {
        return new ModelSession(settings, new Elaborations(source));
    }

    /** The same model with other settings. */
    public ModelSession with(ModelSettings other) {
        return new ModelSession(other, elaborations);
    }

    /** The same model with each batch cut into so many parts of equal size, from 1. */
    public ModelSession cutInto(int parts) {
        return with(settings.cutInto(parts));
    }

    public ModelSource source() {
        return elaborations.source();
    }

    public ModelSettings settings() {
        return settings;
    }

    /** Seconds that reading and elaborating took so far. */
    public double seconds() {
        return elaborations.seconds();
    }

    /** The model with as many symbols bound as are set, its batch whole. */
    public ElaboratedModel open(Purpose purpose) {
        return settings.on(elaborations.of(purpose, settings.set()));
    }

    /** The same; empty if it cannot be had, as where the body needs a number that is not set. */
    Optional<ElaboratedModel> find(Purpose purpose) {
        return elaborations.find(purpose, settings.set());
    }

    /** The model with its batch whole, however it is cut. */
    public ElaboratedModel whole(Purpose purpose) {
        return bound(purpose).withMicroBatches(1);
    }

    /**
     * The model as a step goes through it: its batch cut as the settings or its training say. An evaluation has its
     * batch whole.
     *
     * @throws ModelException as well if micro-batches would change what is computed (E0501), nothing says which rows
     *     are the batch's (E0502), they are not shared evenly (E0503), or a batch norm would see a micro-batch where
     *     the settings refuse that (E0504)
     */
    public ElaboratedModel step(Purpose purpose) {
        ElaboratedModel cut = cut(purpose);
        if (settings.refusesBatchNorms()) {
            RefuseBatchNorms.run(cut);
        }
        return cut;
    }

    /**
     * The model as it is evaluated beside a step: cut like that, with the outputs of the whole batch. The whole batch
     * at once where what the evaluation alone computes does not allow that.
     */
    public ElaboratedModel evaluationBeside(ElaboratedModel step) {
        if (step.microBatches().isEmpty()) {
            return whole(Purpose.EVALUATE);
        }
        MicroBatches cut = step.microBatches().get();
        try {
            ElaboratedModel open =
                    elaborations.of(Purpose.EVALUATE, settings.set().leavingOpen(cut.symbol()));
            ElaboratedModel whole = bind(open, cut.symbol())
                    .map(model -> settings.on(model).withMicroBatches(1))
                    .orElseGet(() -> whole(Purpose.EVALUATE));
            return CutBatch.run(whole, cut.symbol(), open.forward(), cut.count(), source().files());
        } catch (ModelException e) {
            // What the evaluation alone computes has rows that meet each other.
            return whole(Purpose.EVALUATE);
        }
    }

    /** The model to be trained by the extent of one of its symbols, whatever is set for that. */
    public ModelByExtent byExtent(String symbol) {
        ModelByExtent models = new ModelByExtent(symbol, with(settings.without(symbol)), Purpose.TRAIN);
        models.open().ifPresent(open -> complete(open, symbol));
        return models;
    }

    /** The model to be evaluated, by the number of its samples. */
    public BatchedModel bySamples() {
        return BatchedModel.of(this);
    }

    /**
     * Hyper-parameters of the training that are the earlier run's while the model says something else, such as
     * {@code rate is 0.02, 0.01 in the model}.
     *
     * @param model as it was elaborated
     */
    public List<String> keptFromEarlierRun(ElaboratedModel model) {
        Map<String, String> kept = model.identity().training();
        Map<String, String> own =
                source().hyperParameters(settings.set().after(settings.earlier().ofModel()));
        return settings.earlier().ofTraining().keySet().stream()
                .filter(name -> own.containsKey(name) && kept.containsKey(name))
                .filter(name -> !own.get(name).equals(kept.get(name)))
                .map(name -> name + " is " + kept.get(name) + ", " + own.get(name) + " in the model")
                .toList();
    }

    /** The earlier run's number of micro-batches where the model says another and nothing else is set. */
    public Optional<String> microBatchesOfEarlierRun() {
        Optional<Integer> earlier = settings.earlier().microBatches();
        if (settings.microBatches().isPresent() || earlier.isEmpty()) {
            return Optional.empty();
        }
        int own = declaredBatch(Purpose.TRAIN)
                .map(OpenBatch::model)
                .orElseGet(() -> elaborations.of(Purpose.TRAIN, settings.set()))
                .training()
                .microBatches();
        return earlier.filter(count -> count != own)
                .map(count -> MICRO_BATCHES + " is " + count + ", " + own + " in the model");
    }

    /** The step, whatever its batch norms see. */
    ElaboratedModel cut(Purpose purpose) {
        Optional<OpenBatch> declared = declaredBatch(purpose);
        Optional<ElaboratedModel> over = declared.flatMap(batch -> bind(batch.model(), batch.symbol()))
                .map(settings::on)
                .filter(model -> model.open().isEmpty() && model.training().microBatches() > 1);
        ElaboratedModel whole = over.orElseGet(() -> bound(purpose));
        int count = whole.training().microBatches();
        if (count == 1 || purpose == Purpose.EVALUATE) {
            return whole;
        }
        OpenBatch batch =
                over.isPresent() ? declared.orElseThrow() : OpenBatch.find(whole, settings.set(), elaborations);
        return CutBatch.run(whole, batch.symbol(), batch.model().forward(), count, source().files());
    }

    /** The model over the rows that its source declares, if it may be cut and can be had so. */
    private Optional<OpenBatch> declaredBatch(Purpose purpose) {
        boolean mayBeCut = purpose != Purpose.EVALUATE
                && settings.parts()
                        .map(count -> count > 1)
                        .orElseGet(() -> source().trainingSettings().contains(MICRO_BATCHES));
        return mayBeCut
                ? source().batchSymbol()
                        .filter(symbol -> settings.set().find(symbol).isPresent())
                        .flatMap(symbol -> OpenBatch.over(symbol, purpose, settings.set(), elaborations))
                : Optional.empty();
    }

    /** With the extent that is set; empty where the model needs the number, or is wrong with it. */
    private Optional<ElaboratedModel> bind(ElaboratedModel open, String symbol) {
        return bind(open, symbol, Long.parseLong(settings.set().find(symbol).orElseThrow()));
    }

    private static Optional<ElaboratedModel> bind(ElaboratedModel open, String symbol, long extent) {
        // What is of extent 1 broadcasts, and a symbol does not. Other numbers may only make an operation trivial.
        return extent > 1 ? open.bind(symbol, extent) : Optional.empty();
    }

    /** Apart from this one, with an extent for a symbol over which the model may be known. */
    ModelSession at(String symbol, long extent, Purpose purpose, Optional<ElaboratedModel> open) {
        ModelSettings bound = settings.with(symbol, String.valueOf(extent));
        Elaborations apart = new Elaborations(source());
        open.ifPresent(model -> {
            apart.know(purpose, bound.set().leavingOpen(symbol), model);
            bind(model, symbol, extent).ifPresent(whole -> apart.know(purpose, bound.set(), whole));
        });
        return new ModelSession(bound, apart);
    }

    private ElaboratedModel bound(Purpose purpose) {
        return complete(open(purpose), "");
    }

    /** @param free a symbol that needs no value yet */
    private static ElaboratedModel complete(ElaboratedModel model, String free) {
        for (String symbol : model.open()) {
            if (!symbol.equals(free)) {
                throw new UnboundSymbolException(symbol);
            }
        }
        return model;
    }
}
