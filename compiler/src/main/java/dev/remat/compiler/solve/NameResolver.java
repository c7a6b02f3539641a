package dev.remat.compiler.solve;

import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.solve.NodeDraft.Name;
import dev.remat.compiler.solve.NodeDraft.Result;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.plan.InvalidProblemException;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Turns names into indices; finds names that are unknown, given twice, or used ahead of what computes them. */
final class NameResolver {
    private static final String NAME = "E0604";
    private static final String ORDER = "E0605";
    private static final String CONTRADICTION = "E0606";
    private static final int MOST_ERRORS = 20;

    private final List<NodeDraft> drafts;
    private final List<Tier> tiers;
    private final Map<String, Integer> values = new LinkedHashMap<>();
    private final Map<String, Integer> producer = new LinkedHashMap<>();
    private final List<Diagnostic> errors = new ArrayList<>();

    NameResolver(List<NodeDraft> drafts, List<Tier> tiers) {
        this.drafts = drafts;
        this.tiers = tiers;
        Map<String, Integer> ids = new LinkedHashMap<>();
        for (int n = 0; n < drafts.size(); n++) {
            NodeDraft draft = drafts.get(n);
            Name id = draft.id.orElseThrow();
            if (ids.put(id.text(), n) != null) {
                report(Diagnostic.error(NAME, id.location(), "duplicate node id '" + id.text() + "'"));
            }
            for (Result result : draft.allResults()) {
                boolean listed = draft.results.isPresent();
                if (values.put(result.id().text(), values.size()) != null && (listed || errors.isEmpty())) {
                    report(Diagnostic.error(
                            NAME,
                            result.id().location(),
                            "duplicate value id '" + result.id().text() + "'"));
                }
                producer.put(result.id().text(), n);
            }
        }
        stopOnErrors();
    }

    /** @throws ModelException if the drafts do not make a problem */
    RematProblem problem(String name, List<Name> outputs) {
        List<ProblemNode> nodes = new ArrayList<>(drafts.size());
        for (int n = 0; n < drafts.size(); n++) {
            nodes.add(node(n, drafts.get(n)));
        }
        List<Integer> outputValues = outputs.stream().map(this::index).toList();
        stopOnErrors();
        try {
            return RematProblem.of(name, nodes, outputValues, tiers);
        } catch (InvalidProblemException e) {
            NodeDraft draft = drafts.get(Math.max(0, e.node()));
            throw new ModelException(List.of(Diagnostic.error(CONTRADICTION, draft.location, e.getMessage())));
        }
    }

    private ProblemNode node(int n, NodeDraft draft) {
        String id = draft.id.orElseThrow().text();
        List<Integer> inputs =
                draft.inputs.stream().map(input -> earlier(n, input)).toList();
        List<Integer> writes =
                draft.writes.stream().map(written -> earlier(n, written)).toList();
        List<ProblemValue> results = new ArrayList<>();
        for (Result result : draft.allResults()) {
            int viewed = optional(n, result.viewOf());
            int replaced = optional(n, result.inPlaceOf());
            if (viewed != ProblemValue.NONE && replaced != ProblemValue.NONE) {
                report(Diagnostic.error(
                        CONTRADICTION,
                        result.id().location(),
                        "value '" + result.id().text() + "' cannot be a view and in place at once"));
                replaced = ProblemValue.NONE;
            }
            results.add(new ProblemValue(result.id().text(), result.bytes(), viewed, replaced));
        }
        return new ProblemNode(
                id,
                draft.role,
                draft.cost.orElseThrow(),
                draft.workspaceBytes,
                inputs,
                results,
                draft.recomputable,
                draft.resident,
                draft.pin,
                writes,
                draft.offloadable,
                draft.home.map(this::tier).orElse(ProblemNode.DEVICE),
                false);
    }

    private int tier(Name name) {
        List<String> names = new ArrayList<>(List.of(TierReader.DEVICE));
        tiers.forEach(tier -> names.add(tier.name()));
        if (!names.contains(name.text())) {
            report(Diagnostic.error(
                    NAME,
                    name.location(),
                    "unknown tier '" + name.text() + "'",
                    "homes here are " + String.join(", ", names)));
        }
        return Math.max(0, names.indexOf(name.text())) - 1;
    }

    private int optional(int node, Optional<Name> name) {
        return name.isPresent() ? earlier(node, name.get()) : ProblemValue.NONE;
    }

    private int earlier(int node, Name name) {
        int index = index(name);
        if (index != ProblemValue.NONE && producer.get(name.text()) >= node) {
            report(orderError(node, name));
        }
        return index;
    }

    private int index(Name name) {
        Integer index = values.get(name.text());
        if (index != null) {
            return index;
        }
        List<String> notes =
                Suggestion.note(name.text(), values.keySet()).stream().toList();
        report(Diagnostic.error(
                NAME, name.location(), "unknown value '" + name.text() + "'", notes.toArray(String[]::new)));
        return ProblemValue.NONE;
    }

    private Diagnostic orderError(int node, Name name) {
        List<Integer> path = path(producer.get(name.text()), node);
        if (path.isEmpty()) {
            return Diagnostic.error(
                    ORDER,
                    name.location(),
                    "'" + name.text() + "' is read before it is computed",
                    "list nodes in an order in which they can run");
        }
        List<String> ids =
                path.stream().map(n -> drafts.get(n).id.orElseThrow().text()).toList();
        return Diagnostic.error(
                ORDER,
                name.location(),
                "the nodes read each other in a cycle: " + String.join(" <- ", ids) + " <- " + ids.getFirst());
    }

    /** Nodes from {@code from} over what each reads to {@code to}; empty if there is no such way. */
    private List<Integer> path(int from, int to) {
        Map<Integer, Integer> reachedFrom = new LinkedHashMap<>();
        List<Integer> queue = new ArrayList<>(List.of(from));
        reachedFrom.put(from, -1);
        for (int i = 0; i < queue.size() && !reachedFrom.containsKey(to); i++) {
            for (Name input : drafts.get(queue.get(i)).inputs) {
                Integer next = producer.get(input.text());
                if (next != null && !reachedFrom.containsKey(next)) {
                    reachedFrom.put(next, queue.get(i));
                    queue.add(next);
                }
            }
        }
        List<Integer> path = new ArrayList<>();
        for (int at = reachedFrom.containsKey(to) ? to : -1; at != -1; at = reachedFrom.get(at)) {
            path.addFirst(at);
        }
        return path;
    }

    private void report(Diagnostic error) {
        errors.add(error);
        if (errors.size() == MOST_ERRORS) {
            stopOnErrors();
        }
    }

    private void stopOnErrors() {
        if (!errors.isEmpty()) {
            throw new ModelException(errors);
        }
    }
}
