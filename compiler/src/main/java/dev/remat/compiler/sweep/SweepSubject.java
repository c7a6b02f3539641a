package dev.remat.compiler.sweep;

import dev.remat.compiler.StepFloor;
import dev.remat.compiler.UnplannedStep;
import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.plan.Proposal;
import dev.remat.ir.plan.RematProblem;
import java.util.function.ToLongFunction;

/**
 * What is planned in a sweep, and how its plans are measured.
 *
 * @param bytes that a plan takes
 */
public record SweepSubject(RematProblem problem, StepFloor floor, ToLongFunction<Proposal> bytes) {
    /** A model's step, measured by arenas. */
    public static SweepSubject of(UnplannedStep step) {
        return new SweepSubject(
                step.problem(),
                step.floor(),
                proposal -> step.carryThrough(proposal).arenaBytes());
    }

    /** A graph from elsewhere, measured by peaks. */
    public static SweepSubject of(RematProblem problem) {
        Floor floor = Floor.of(problem);
        String setBy =
                floor.node() < 0 ? "what is given and left behind" : "running '" + problem.nodeId(floor.node()) + "'";
        return new SweepSubject(
                problem,
                new StepFloor(floor.bytes(), setBy),
                proposal -> proposal.evaluation().peakBytes());
    }
}
