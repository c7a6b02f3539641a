package dev.remat.cli.pretrained;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.Formatter;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.GraphInput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Makes a model of a folder. Nothing is written. */
public final class ImportModel implements AutoCloseable {
    private static final long USUAL_LENGTH = 128;
    private static final String UNKNOWN = "E0701";
    private static final String VALUE = "E0703";
    /** What makes queries and values: where adapters do most for their size (Hu et al., 2021). */
    private static final Set<String> USUALLY_ADAPTED =
            Set.of("c_attn", "q_lin", "q_proj", "query", "v_lin", "v_proj", "value");

    private final PretrainedFolder folder;
    private final ImportSettings settings;
    private final PretrainedWeights weights;

    private ImportModel(PretrainedFolder folder, ImportSettings settings, PretrainedWeights weights) {
        this.folder = folder;
        this.settings = settings;
        this.weights = weights;
    }

    /**
     * Maps the folder's weights.
     *
     * @throws ModelException if there are none that can be read (E0705), or a link leads out of the folder (E0706)
     */
    public static ImportModel open(PretrainedFolder folder, ImportSettings settings) throws IOException {
        return new ImportModel(folder, settings, folder.weights());
    }

    /**
     * The model, whose tensors can be read until this is closed.
     *
     * @param name of the model in its text
     * @throws ModelException if something is not understood (E0701 to E0704)
     */
    public ImportedModel run(String name) throws IOException {
        Config config = folder.config();
        Family family = family(config);
        Task task = task(config, family);
        Gaps gaps = new Gaps();
        family.read(config, gaps);
        config.ignore(settings.ignored());
        long classes = task == Task.CLASSIFICATION ? classes(config) : 0;
        config.finish();
        gaps.put("name", name)
                .put(
                        "origin",
                        "From " + plain(folder.name()) + ": "
                                + architecture(config).orElse(family.type()) + ".")
                .put("p", family.prefix(task))
                .put("classes", classes)
                .put("lora", "")
                .put("frozen", "")
                .put("lr", settings.lora().isPresent() ? "2e-4" : "5e-5")
                .when("trains", task != Task.FEATURES);
        gaps.when("pooler", hasPooler(family, task));
        gaps.when("shared", task == Task.CAUSAL_LM && !gaps.get("tied").isEmpty());
        for (Task each : Task.values()) {
            gaps.when(each.label(), each == task);
        }
        Set<String> adapted = adapted(config, family, task);
        settings.lora().ifPresent(rank -> gaps.put("lora", rank).put("lora_alpha", 2.0 * rank));
        String text = text(family, gaps, adapted);
        SequencedMap<String, TensorType> parameters = parameters(elaborated(text));
        MatchWeights.Matched matched = MatchWeights.run(family, task, parameters, weights);
        if (settings.lora().isPresent()) {
            gaps.put("frozen", FreezePatterns.text(parameters.sequencedKeySet(), isTrained(task, matched)));
            text = text(family, gaps, adapted);
            elaborated(text);
        }
        long numbers =
                parameters.values().stream().mapToLong(type -> type.elements()).sum();
        return new ImportedModel(
                family.type(), task, text, matched.taken(), matched.fresh(), matched.left(), length(gaps), numbers);
    }

    private static long length(Gaps gaps) {
        if (gaps.get("image") != null) {
            return 0;
        }
        // Positions of RoBERTa begin behind that of padding.
        long first = gaps.get("pad") == null ? 0 : Long.parseLong(gaps.get("pad")) + 1;
        String positions = gaps.get("positions");
        return positions == null ? USUAL_LENGTH : Math.min(USUAL_LENGTH, Long.parseLong(positions) - first);
    }

    private Family family(Config config) {
        Object type = config.find("model_type").orElse(null);
        Optional<Family> family = type instanceof String text ? Family.find(text) : Optional.empty();
        return family.orElseThrow(() -> unknown(
                config,
                type == null ? "there is no \"model_type\"" : "models of type \"" + type + "\" are not known",
                "known are " + String.join(", ", Family.types())));
    }

    private static Optional<String> architecture(Config config) {
        return config.find("architectures").orElse(List.of()) instanceof List<?> list
                        && !list.isEmpty()
                        && list.getFirst() instanceof String architecture
                ? Optional.of(plain(architecture))
                : Optional.empty();
    }

    /** Fit for a comment. */
    private static String plain(String name) {
        return name.replaceAll("[^\\w.+-]", "_");
    }

    private Task task(Config config, Family family) {
        Task said = architecture(config).map(Task::of).orElse(Task.FEATURES);
        Task task = settings.task().orElse(family.tasks().contains(said) ? said : Task.FEATURES);
        if (!family.tasks().contains(task)) {
            throw unknown(
                    config,
                    "models of type \"" + family.type() + "\" are not imported for the task " + task.label(),
                    "their tasks are "
                            + family.tasks().stream().map(Task::label).collect(Collectors.joining(", ")));
        }
        return task;
    }

    /** How many classes the user wants, or the folder has. */
    private long classes(Config config) {
        config.only("problem_type", "single_label_classification");
        if (settings.classes().isPresent()) {
            return settings.classes().getAsInt();
        }
        if (config.find("id2label").orElse(null) instanceof Map<?, ?> labels && !labels.isEmpty()) {
            return labels.size();
        }
        return config.findSize("num_labels").orElse(2);
    }

    /** BERT classifies by what it pools; of features it is there if the folder has it. */
    private boolean hasPooler(Family family, Task task) {
        return family.type().equals("bert") && task == Task.CLASSIFICATION
                || task == Task.FEATURES
                        && weights.names().stream().anyMatch(name -> name.endsWith("pooler.dense.weight"));
    }

    /** Last names of the maps that get adapters. */
    private Set<String> adapted(Config config, Family family, Task task) {
        if (settings.lora().isEmpty()) {
            return Set.of();
        }
        if (task == Task.FEATURES) {
            throw unknown(
                    config,
                    "adapters are trained, and " + task.label() + " have no loss",
                    "--task says what they are trained for");
        }
        Set<String> known = Template.adaptable(family.template());
        List<String> usual = known.stream().filter(USUALLY_ADAPTED::contains).toList();
        List<String> targets = settings.targets().isEmpty() ? usual : settings.targets();
        for (String target : targets) {
            if (!known.contains(target)) {
                throw unknown(
                        config,
                        "models of type \"" + family.type() + "\" have no map that is called " + target,
                        "adapters go to " + String.join(", ", known));
            }
        }
        return new TreeSet<>(targets);
    }

    /** Adapters, what is new, and what classifies. */
    private static Predicate<String> isTrained(Task task, MatchWeights.Matched matched) {
        return name -> matched.fresh().contains(name)
                || task == Task.CLASSIFICATION && name.matches("((pre_)?classifier|score)\\..*");
    }

    private static String text(Family family, Gaps gaps, Set<String> adapted) {
        return Formatter.format(new Source("model", Template.fill(family.template(), gaps.all(), adapted)));
    }

    private ElaboratedModel elaborated(String text) {
        ModelText source = ModelText.of(new Source("model", text), IncludeResolver.NONE);
        try {
            return ModelSession.of(source, ModelSettings.NONE).open(Purpose.EVALUATE);
        } catch (ModelException e) {
            Location place = new Location(folder.path().resolve("config.json").toString(), 1, 1);
            throw new ModelException(List.of(Diagnostic.error(
                    VALUE,
                    place,
                    "its sizes make no model: " + e.diagnostics().getFirst().message())));
        }
    }

    private static SequencedMap<String, TensorType> parameters(ElaboratedModel model) {
        SequencedMap<String, TensorType> parameters = new LinkedHashMap<>();
        for (GraphInput input : model.forward().inputs()) {
            if (input.kind().isPersistent()) {
                parameters.put(
                        model.forward().value(input.value()).name(),
                        model.forward().type(input.value()));
            }
        }
        return parameters;
    }

    private static ModelException unknown(Config config, String message, String note) {
        return new ModelException(
                List.of(Diagnostic.error(UNKNOWN, new Location(config.file().toString(), 1, 1), message, note)));
    }

    @Override
    public void close() {
        weights.close();
    }
}
