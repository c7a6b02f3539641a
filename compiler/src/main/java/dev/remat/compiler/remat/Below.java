package dev.remat.compiler.remat;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.Tier;
import java.util.List;
import java.util.Locale;

/**
 * What lies below a device, and what of a step may be moved there.
 *
 * @param tiers in the order in which they are to be used
 */
public record Below(List<Tier> tiers, Movable movable) {
    /** The device alone. */
    public static final Below NOTHING = new Below(List.of(), Movable.NONE);

    /** What may be moved. */
    public enum Movable {
        /** Whatever pays; state where no plan is found that has room for it in the arena. */
        AUTO,
        /** What the forward pass makes. */
        ACTIVATIONS,
        /** What is kept from step to step: parameters and the optimizer's state. */
        STATE,
        /** State as well as whatever pays. */
        ALL,
        NONE;

        /** Whether what a node that is no resident makes may be moved. */
        boolean includes(ProblemNode node) {
            return switch (this) {
                case AUTO, ALL -> true;
                case ACTIVATIONS -> node.role() == Role.FORWARD;
                case STATE, NONE -> false;
            };
        }

        /** As users write it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Below {
        tiers = List.copyOf(tiers);
    }

    /** Whether nothing can be moved, as on a device with nothing below it. */
    public boolean isNothing() {
        return tiers.isEmpty() || movable == Movable.NONE;
    }
}
