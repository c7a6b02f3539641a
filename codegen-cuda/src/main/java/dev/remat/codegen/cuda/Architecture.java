package dev.remat.codegen.cuda;

import dev.remat.ir.target.DeviceSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** GPU generations that plans can be made for, each with the rates of its usual card. */
public enum Architecture {
    SM_80("sm_80", 108, 1.41e9, Card.A100),
    SM_86("sm_86", 82, 1.695e9, Card.RTX3090),
    SM_89("sm_89", 128, 2.52e9, Card.RTX4090),
    SM_90A("sm_90a", 132, 1.83e9, Card.H100),
    SM_100A("sm_100a", 148, 1.85e9, Card.B200);

    private final String label;
    private final int multiprocessors;
    private final double hertz;
    private final DeviceSpec device;

    Architecture(String label, int multiprocessors, double hertz, Card card) {
        this.label = label;
        this.multiprocessors = multiprocessors;
        this.hertz = hertz;
        this.device = card.device().named(label);
    }

    /** As compilers name it: {@code sm_90a}. */
    public String label() {
        return label;
    }

    public DeviceSpec device() {
        return device;
    }

    /** How many blocks run side by side where each takes a multiprocessor to itself. */
    public int multiprocessors() {
        return multiprocessors;
    }

    /** Boost clock in cycles a second. */
    public double hertz() {
        return hertz;
    }

    public static Optional<Architecture> ofLabel(String label) {
        return Arrays.stream(values()).filter(a -> a.label.equals(label)).findFirst();
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Architecture::label).toList();
    }
}
