package dev.remat.compiler.plan;

/** A strategy that chooses what the forward leaves to the backward; where there is no backward it keeps everything. */
public interface BackwardPlanner extends Planner {}
