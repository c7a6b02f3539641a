package dev.remat.compiler.fit;

import dev.remat.compiler.plan.Proposal;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Optional;

/** Takes a sequence from one problem to another whose nodes differ in costs and bytes alone. */
final class TransferSequence {
    private TransferSequence() {}

    /** The sequence judged in {@code to}; empty if the problems are of different graphs. */
    static Optional<Proposal> run(RematProblem from, OperatorSequence sequence, RematProblem to) {
        return sameGraph(from, to) ? Optional.of(Proposal.of(to, sequence)) : Optional.empty();
    }

    private static boolean sameGraph(RematProblem a, RematProblem b) {
        if (a.nodeCount() != b.nodeCount() || !a.outputs().equals(b.outputs())) {
            return false;
        }
        for (int n = 0; n < a.nodeCount(); n++) {
            if (!skeleton(a.node(n)).equals(skeleton(b.node(n)))) {
                return false;
            }
        }
        return true;
    }

    private static ProblemNode skeleton(ProblemNode node) {
        return node.withCost(0)
                .withWorkspace(0)
                .withResults(
                        node.results().stream().map(TransferSequence::skeleton).toList());
    }

    private static ProblemValue skeleton(ProblemValue value) {
        return new ProblemValue(value.id(), 0, value.viewOf(), value.inPlaceOf());
    }
}
