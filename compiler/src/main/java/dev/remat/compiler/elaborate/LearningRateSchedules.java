package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Signature;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.LinkedHashMap;
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
            default -> throw new IllegalStateException("no schedule " + name);
        };
    }
}
