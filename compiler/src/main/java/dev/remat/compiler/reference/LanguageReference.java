package dev.remat.compiler.reference;

import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.builtin.table.Builtins;
import dev.remat.compiler.elaborate.Averages;
import dev.remat.compiler.elaborate.LearningRateSchedules;
import dev.remat.compiler.elaborate.LossScales;
import dev.remat.compiler.elaborate.Optimizers;
import dev.remat.compiler.elaborate.TrainingSettings;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What every model may name without defining it. */
public final class LanguageReference {
    /** Names that stand for values. */
    public static final List<String> CONSTANTS = List.of("none", "inf", "pi");

    private static final Map<String, KnownFunction> FUNCTIONS = functions();
    private static final Map<String, List<KnownFunction>> CHOICES = choices();

    private LanguageReference() {}

    private static Map<String, KnownFunction> functions() {
        Map<String, KnownFunction> functions = new LinkedHashMap<>();
        Builtins.byFamily()
                .forEach((family, builtins) ->
                        builtins.forEach(builtin -> functions.put(builtin.name(), KnownFunction.of(family, builtin))));
        return functions;
    }

    private static Map<String, List<KnownFunction>> choices() {
        Map<String, List<KnownFunction>> choices = new LinkedHashMap<>();
        choices.put("optimizer", choices("optimizer", Optimizers.table()));
        choices.put("schedule", choices("schedule", LearningRateSchedules.table()));
        choices.put("average", choices("average", Averages.table()));
        choices.put("loss_scale", choices("loss_scale", LossScales.table()));
        return choices;
    }

    private static List<KnownFunction> choices(String setting, Map<String, Signature> table) {
        List<KnownFunction> choices = new ArrayList<>();
        table.forEach((name, signature) -> choices.add(KnownFunction.of(setting, name, signature)));
        return choices;
    }

    /** Builtins in the order of the reference. */
    public static List<KnownFunction> builtins() {
        return List.copyOf(FUNCTIONS.values());
    }

    public static Optional<KnownFunction> builtin(String name) {
        return Optional.ofNullable(FUNCTIONS.get(name));
    }

    /** What the value of a setting of {@code train} may call, such as the optimizers of {@code optimizer}. */
    public static List<KnownFunction> choices(String setting) {
        return CHOICES.getOrDefault(setting, List.of());
    }

    /** Settings of {@code train} and of the blocks in it. */
    public static List<String> settings() {
        return TrainingSettings.names();
    }

    /** Dtypes that tensors of models have. */
    public static List<String> dtypes() {
        return Arrays.stream(DType.values())
                .filter(DType::isOfModels)
                .map(DType::label)
                .toList();
    }

    /** Types that parameters of layers have, beside lists and tuples. */
    public static List<String> parameterTypes() {
        return List.of("int", "float", "bool", "string", "dtype", "tensor", "layer");
    }
}
