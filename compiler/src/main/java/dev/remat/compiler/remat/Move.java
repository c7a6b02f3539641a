package dev.remat.compiler.remat;

import dev.remat.ir.ValueId;

/**
 * What a sequence moves between the device and a tier, in values of the rematerialized graph. A fetch brings back what
 * was stored under the same name, so that readers name one value wherever it lies. An input that lives below goes by
 * its own name, whatever updates have made of it.
 */
public sealed interface Move {
    /** Number of the sequence's steps before it. */
    int before();

    /** @param tier index among the problem's */
    record Store(int before, ValueId value, int tier) implements Move {}

    /** Of the store of the value that was begun last. */
    record Await(int before, ValueId value) implements Move {}

    record Fetch(int before, ValueId value) implements Move {}
}
