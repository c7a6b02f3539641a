package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Signature;
import dev.remat.ir.op.Schedule;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/** The schedules of {@code train { schedule … }}; each multiplies out from the optimizer's learning rate. */
public final class Schedules {
    private Schedules() {}

    /** Signatures by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        table.put("constant", Signature.of(""));
        table.put("warmup", Signature.of("steps: int"));
        table.put("linear", Signature.of("steps: int, warmup: int = 0, min_lr: float = 0.0"));
        table.put("cosine", Signature.of("steps: int, warmup: int = 0, min_lr: float = 0.0"));
        table.put("step", Signature.of("every: int, gamma: float = 0.1, warmup: int = 0"));
        return table;
    }

    static Schedule read(TrainingSettings settings, double rate) {
        Optional<Setting> setting = settings.optional("schedule");
        if (setting.isEmpty()) {
            return new Schedule.Constant(rate);
        }
        TrainingSettings.Choice choice = settings.choice(setting.get(), table());
        return settings.about(choice, () -> schedule(choice.name(), rate, choice.arguments()));
    }

    private static Schedule schedule(String name, double rate, Arguments args) {
        return switch (name) {
            case "constant" -> new Schedule.Constant(rate);
            case "warmup" -> new Schedule.Warmup(rate, args.integer("steps"));
            case "linear" ->
                new Schedule.Linear(rate, args.integer("warmup"), args.integer("steps"), args.real("min_lr"));
            case "cosine" ->
                new Schedule.Cosine(rate, args.integer("warmup"), args.integer("steps"), args.real("min_lr"));
            case "step" -> new Schedule.Steps(rate, args.integer("warmup"), args.integer("every"), args.real("gamma"));
            default -> throw new IllegalStateException("no schedule " + name);
        };
    }
}
