package dev.remat.codegen.cuda.target;

import dev.remat.ir.target.DeviceSpec;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** GPU generations that plans can be made for; each is planned for as its usual {@link Card}. */
public enum Architecture {
    SM_80("sm_80"),
    SM_86("sm_86"),
    SM_89("sm_89"),
    SM_90A("sm_90a"),
    SM_100A("sm_100a");

    /** Apart from the architectures, which cards are made of. */
    private static final class UsualCards {
        private static final Map<Architecture, Card.Rates> RATES = new EnumMap<>(Architecture.class);

        static {
            for (Architecture architecture : values()) {
                RATES.put(architecture, Card.Rates.usual(architecture));
            }
        }
    }

    private final String label;

    Architecture(String label) {
        this.label = label;
    }

    /** As compilers name it: {@code sm_90a}. */
    public String label() {
        return label;
    }

    /** The rates of its usual card. */
    public DeviceSpec device() {
        return rates().device();
    }

    /** How many blocks run side by side on its usual card where each takes a multiprocessor to itself. */
    public int multiprocessors() {
        return rates().multiprocessors();
    }

    /** Boost clock of its usual card in cycles a second. */
    public double hertz() {
        return rates().hertz();
    }

    private Card.Rates rates() {
        return UsualCards.RATES.get(this);
    }

    public static Optional<Architecture> ofLabel(String label) {
        return Arrays.stream(values()).filter(a -> a.label.equals(label)).findFirst();
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Architecture::label).toList();
    }
}
