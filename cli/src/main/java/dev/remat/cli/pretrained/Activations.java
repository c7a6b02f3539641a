package dev.remat.cli.pretrained;

import java.util.LinkedHashMap;
import java.util.Map;

/** Activations by their names in configurations. */
final class Activations {
    private static final Map<String, String> CALLS = new LinkedHashMap<>();

    static {
        CALLS.put("gelu", "gelu");
        for (String tanh : new String[] {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"}) {
            CALLS.put(tanh, "gelu(approximate = \"tanh\")");
        }
        CALLS.put("relu", "relu");
        CALLS.put("silu", "silu");
        CALLS.put("swish", "silu");
        CALLS.put("tanh", "tanh");
    }

    private Activations() {}

    /** What a value is piped into. */
    static String read(Config config, String key, String otherwise) {
        return CALLS.get(config.word(key, otherwise, CALLS.keySet()));
    }
}
