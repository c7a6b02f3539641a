package dev.remat.compiler.search;

import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.ir.plan.RematProblem;

/** A graph from elsewhere, whose plans are measured by their peaks. */
public record GraphSubject(RematProblem problem) implements Subject<MeasuredPlan> {
    @Override
    public MemoryFloor floor() {
        Floor floor = Floor.of(problem);
        String setBy =
                floor.node() < 0 ? "what is given and left behind" : "running '" + problem.nodeId(floor.node()) + "'";
        return new MemoryFloor(floor.bytes(), setBy);
    }

    @Override
    public MeasuredPlan measure(Proposal proposal) {
        return new MeasuredPlan(proposal, proposal.evaluation().peakBytes());
    }
}
