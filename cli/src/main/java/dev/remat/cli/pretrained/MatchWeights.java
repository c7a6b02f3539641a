package dev.remat.cli.pretrained;

import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.runtime.io.StoredTensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Gives every parameter of a model its tensor, and says which tensors are left. */
final class MatchWeights {
    private static final String TENSORS = "E0704";
    private static final int MOST = 20;
    private static final Pattern TABLE = Pattern.compile("(.*\\.)?(wte|embed_tokens|word_embeddings)\\.weight");
    /** What scores tokens by their table, where files have it a second time. */
    private static final Pattern TIED =
            Pattern.compile("(lm_head\\.(decoder\\.)?|cls\\.predictions\\.decoder\\.|vocab_projector\\.)weight");

    private final Family family;
    private final boolean scoresTokens;
    private final PretrainedWeights weights;
    private final TreeSet<String> left;
    private final List<StoredTensor> taken = new ArrayList<>();
    private final List<String> fresh = new ArrayList<>();
    private final List<Diagnostic> problems = new ArrayList<>();

    /**
     * What is known of every tensor.
     *
     * @param taken under the names of the parameters
     * @param fresh parameters that start as the model says
     * @param left tensors that the model does not have, and need not
     */
    record Matched(List<StoredTensor> taken, List<String> fresh, List<String> left) {}

    private MatchWeights(Family family, Task task, PretrainedWeights weights) {
        this.family = family;
        this.scoresTokens = task == Task.CAUSAL_LM || task == Task.MASKED_LM;
        this.weights = weights;
        this.left = new TreeSet<>(weights.names());
    }

    /**
     * @param parameters of the model, by name
     * @throws ModelException if one has no tensor, or a tensor has another shape or no use that is known (E0704)
     */
    static Matched run(
            Family family, Task task, SequencedMap<String, TensorType> parameters, PretrainedWeights weights) {
        return new MatchWeights(family, task, weights).match(parameters);
    }

    private Matched match(SequencedMap<String, TensorType> parameters) {
        parameters.forEach(this::match);
        for (String name : left) {
            if (!mayBeLeft(name)) {
                problem("the model has no tensor " + name + ", and what it is for is not known");
            } else if (scoresTokens
                    && TIED.matcher(name).matches()
                    && !isTable(weights.find(name).orElseThrow())) {
                problem(name + " is not the table of tokens, to which config.json ties it");
            }
        }
        if (!problems.isEmpty()) {
            throw new ModelException(problems.subList(0, Math.min(MOST, problems.size())));
        }
        return new Matched(taken, fresh, List.copyOf(left));
    }

    private boolean isTable(StoredTensor tensor) {
        return taken.stream()
                .filter(each -> TABLE.matcher(each.name()).matches())
                .allMatch(table -> table.type() == tensor.type() && table.data().mismatch(tensor.data()) == -1);
    }

    private void match(String name, TensorType type) {
        Optional<StoredTensor> found = namesOf(name).stream()
                .map(weights::find)
                .flatMap(Optional::stream)
                .findFirst();
        found.ifPresentOrElse(
                tensor -> {
                    left.remove(tensor.name());
                    tensor.misfit(type).ifPresent(problem -> problem("config.json does not fit " + problem));
                    taken.add(tensor.named(name));
                },
                () -> {
                    if (isAdapter(name) || isOfHead(name)) {
                        fresh.add(name);
                    } else {
                        problem("there is no tensor " + name + ": " + type);
                    }
                });
    }

    /** What a parameter is called where the model has a head or none, and was called by older versions. */
    private List<String> namesOf(String name) {
        String base = family.base() + ".";
        List<String> names = new ArrayList<>(List.of(name));
        names.add(name.startsWith(base) ? name.substring(base.length()) : base + name);
        for (String each : List.copyOf(names)) {
            if (each.contains("LayerNorm.")) {
                names.add(each.replace("LayerNorm.weight", "LayerNorm.gamma")
                        .replace("LayerNorm.bias", "LayerNorm.beta"));
            }
        }
        return names;
    }

    private static boolean isAdapter(String name) {
        return name.endsWith(".lora.A") || name.endsWith(".lora.B");
    }

    /** A whole head may be new, not one of its parts. */
    private boolean isOfHead(String name) {
        return headOf(name)
                .filter(head -> weights.names().stream()
                        .noneMatch(other -> headOf(other).equals(Optional.of(head))))
                .isPresent();
    }

    private Optional<String> headOf(String name) {
        String bare = bare(name);
        return family.heads().stream()
                .filter(head -> bare.startsWith(head + "."))
                .findFirst();
    }

    private boolean mayBeLeft(String name) {
        String bare = bare(name);
        return headOf(name).isPresent()
                || family.leftovers().stream()
                        .anyMatch(pattern -> pattern.matcher(bare).matches());
    }

    private String bare(String name) {
        return name.startsWith(family.base() + ".")
                ? name.substring(family.base().length() + 1)
                : name;
    }

    private void problem(String message) {
        problems.add(Diagnostic.error(TENSORS, new Location(weights.place().toString(), 1, 1), message));
    }

    /** Names in which the numbers of layers count as one, with how many there are of each. */
    static Map<String, Integer> grouped(List<String> names) {
        Map<String, Integer> groups = new LinkedHashMap<>();
        names.forEach(name -> groups.merge(name.replaceAll("\\.\\d+\\.", ".N."), 1, Integer::sum));
        return groups;
    }
}
