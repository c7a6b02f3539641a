package dev.remat.compiler.split;

import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.BatchRoleException;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says why micro-batches would change what a model computes, in terms of the calls that stand in its text: one call may
 * be many operations, of which only one is in the way.
 */
final class CutRefusal {
    private static final String RULE =
            "what rows of a batch have to do with each other must be a mean or a sum over them";

    private final Graph graph;
    private final ValueMap<BatchRole> roles;
    private final WrittenCalls calls;

    /** @param roles of the values so far */
    CutRefusal(Graph graph, ValueMap<BatchRole> roles, List<Source> files) {
        this.graph = graph;
        this.roles = roles;
        this.calls = new WrittenCalls(files);
    }

    /** Of a node whose operation has no results that follow from those of micro-batches. */
    ModelException of(Node node, BatchRoleException why) {
        Optional<Node> mean = why.mean().isPresent()
                ? Optional.of(source(node.operands().get(why.mean().getAsInt())))
                : Optional.empty();
        return of(node, why.getMessage(), mean);
    }

    /** @param reason a clause, such as "sorts along the batch" */
    ModelException of(Node node, String reason) {
        return of(node, reason, Optional.empty());
    }

    /** @param mean where rows come together to the mean that is in the way */
    private ModelException of(Node node, String reason, Optional<Node> mean) {
        Optional<String> call = calls.at(node.origin().location());
        List<String> notes = new ArrayList<>();
        String clause = call.orElse(node.op().mnemonic()) + " " + reason;
        boolean elsewhere = mean.isPresent() && !isOfSameCall(node, mean.get());
        if (call.isPresent() && isComposed(node)) {
            clause = call.get()
                    + (elsewhere
                            ? " needs a mean over the whole batch, which is not known before the last micro-batch"
                            : " is neither a mean nor a sum over rows of the batch");
            notes.add("inside it, " + node.op().mnemonic() + " " + reason);
        }
        if (elsewhere) {
            calls.at(mean.get().origin().location())
                    .ifPresent(taken -> notes.add("rows of the batch come together in " + taken + " at "
                            + mean.get().origin().location()));
        }
        notes.add(RULE);
        return new ModelException(List.of(Diagnostic.error(
                "E0501",
                node.origin().location(),
                "micro-batches would change what is computed: " + clause,
                notes.toArray(String[]::new))));
    }

    /** The node in which rows come together to what {@code mean} is made of. */
    private Node source(ValueId mean) {
        Node node = graph.node(graph.value(mean).producer().orElseThrow());
        return node.operands().stream()
                .filter(operand -> roles.get(operand) instanceof BatchRole.Mean)
                .findFirst()
                .map(this::source)
                .orElse(node);
    }

    /** Whether the call of a node computes other things than that node. */
    private boolean isComposed(Node node) {
        return graph.nodes().stream()
                        .filter(other -> isOfSameCall(node, other))
                        .map(Node::op)
                        .filter(op -> !(op instanceof View || op instanceof Literal || op instanceof Cast))
                        .map(Op::mnemonic)
                        .distinct()
                        .count()
                > 1;
    }

    private static boolean isOfSameCall(Node a, Node b) {
        Origin one = a.origin();
        Origin other = b.origin();
        return one.location().equals(other.location()) && one.scope().equals(other.scope());
    }
}
