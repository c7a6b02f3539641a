package dev.remat.ir.plan;

/**
 * A queue of work: what stands in one lane runs one after the other in the order of the plan, and lanes run beside each
 * other. Each tier has a lane to store and a lane to fetch.
 */
public enum Lane {
    /** Nodes. */
    COMPUTE,
    /** Copies from the device to a tier. */
    STORE,
    /** Copies from a tier to the device. */
    FETCH
}
