package dev.remat.ir.graph;

import dev.remat.ir.diagnostic.Location;

/**
 * What the user asked of a value.
 *
 * @param location of the pin in the model
 */
public record ValuePin(Kind kind, Location location) {
    /** What becomes of the value until the backward pass needs it. */
    public enum Kind {
        /** It is kept. */
        RETAIN("retain", "pinned"),
        /** It leaves the device. */
        OFFLOAD("offload", "offloaded");

        private final String label;
        private final String participle;

        Kind(String label, String participle) {
            this.label = label;
            this.participle = participle;
        }

        /** As written in models. */
        public String label() {
            return label;
        }

        /** As written in graphs. */
        public String participle() {
            return participle;
        }
    }
}
