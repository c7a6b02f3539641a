package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Signature;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** The schedules of {@code train { schedule … }}; each multiplies out from the optimizer's learning rate. */
public final class LearningRateSchedules {
    private LearningRateSchedules() {}

    /** Signatures by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        table.put("constant", Signature.of(""));
        table.put("warmup", Signature.of("steps: int"));
        table.put("linear", Signature.of("steps: int, warmup: int = 0, min_lr: float = 0.0"));
        table.put("cosine", Signature.of("steps: int, warmup: int = 0, min_lr: float = 0.0"));
        table.put("step", Signature.of("every: int, gamma: float = 0.1, warmup: int = 0"));
        table.put("milestones", Signature.of("at: list, gamma: float = 0.1, warmup: int = 0"));
        table.put("exponential", Signature.of("gamma: float, warmup: int = 0"));
        table.put("polynomial", Signature.of("steps: int, power: float = 1.0, warmup: int = 0, min_lr: float = 0.0"));
        table.put("inverse_sqrt", Signature.of("warmup: int"));
        table.put(
                "one_cycle",
                Signature.of("steps: int, max_lr: float = none, pct_start: float = 0.3, anneal: string = \"cos\", "
                        + "div_factor: float = 25.0, final_div_factor: float = 10000.0"));
        return table;
    }

    /** @param rate the optimizer's, which the schedule changes */
    static LearningRateSchedule read(SettingReader reader, Optional<Setting> setting, double rate) {
        if (setting.isEmpty()) {
            return new LearningRateSchedule.Constant(rate);
        }
        SettingReader.Choice choice = reader.choice(setting.get(), table());
        return reader.about(choice, () -> schedule(choice.name(), rate, choice.arguments()));
    }

    private static LearningRateSchedule schedule(String name, double rate, Arguments args) {
        return switch (name) {
            case "constant" -> new LearningRateSchedule.Constant(rate);
            case "warmup" -> new LearningRateSchedule.Warmup(rate, args.integer("steps"));
            case "linear" ->
                new LearningRateSchedule.Linear(
                        rate, args.integer("warmup"), args.integer("steps"), args.real("min_lr"));
            case "cosine" ->
                new LearningRateSchedule.Cosine(
                        rate, args.integer("warmup"), args.integer("steps"), args.real("min_lr"));
            case "step" ->
                new LearningRateSchedule.Steps(rate, args.integer("warmup"), args.integer("every"), args.real("gamma"));
            case "milestones" ->
                new LearningRateSchedule.Milestones(rate, args.integer("warmup"), steps(args), args.real("gamma"));
            case "exponential" ->
                new LearningRateSchedule.Exponential(rate, args.integer("warmup"), args.real("gamma"));
            case "polynomial" ->
                new LearningRateSchedule.Polynomial(
                        rate, args.integer("warmup"), args.integer("steps"), args.real("power"), args.real("min_lr"));
            case "inverse_sqrt" -> new LearningRateSchedule.InverseSquareRoot(rate, args.integer("warmup"));
            case "one_cycle" -> oneCycle(rate, args);
            default -> throw new IllegalStateException("no schedule " + name);
        };
    }

    private static List<Integer> steps(Arguments args) {
        if (!args.items("at").stream().allMatch(Datum.IntValue.class::isInstance)) {
            throw new SemanticError("E0402", "milestones are steps, which are integers");
        }
        return args.integers("at");
    }

    private static LearningRateSchedule oneCycle(double rate, Arguments args) {
        String anneal = args.text("anneal");
        if (!List.of("cos", "linear").contains(anneal)) {
            throw new SemanticError("E0402", "'anneal' is \"cos\" or \"linear\", not \"" + anneal + "\"");
        }
        return new LearningRateSchedule.OneCycle(
                args.isGiven("max_lr") ? args.real("max_lr") : rate,
                args.integer("steps"),
                args.real("pct_start"),
                args.real("div_factor"),
                args.real("final_div_factor"),
                anneal.equals("cos"));
    }
}
