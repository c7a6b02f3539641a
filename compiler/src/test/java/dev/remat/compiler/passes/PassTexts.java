package dev.remat.compiler.passes;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What passes make that is no graph, in few words, with values by their names. */
final class PassTexts {
    private PassTexts() {}

    /** The nodes of each unit by their first results, and what it leaves in memory: {@code h y -> y f32[8, 8]}. */
    static String units(Graph graph, List<FusionGroup> groups) {
        StringBuilder out = new StringBuilder();
        for (FusionGroup group : groups) {
            out.append(group.role() == Role.FORWARD ? "" : group.role().label() + " ");
            out.append(group.form().name().toLowerCase(Locale.ROOT)).append(' ');
            out.append(group.nodes().stream()
                    .map(graph::node)
                    .map(node -> graph.value(node.results().getFirst()).name())
                    .collect(Collectors.joining(" ")));
            out.append(group.writes().stream()
                    .map(graph::value)
                    .map(value -> value.name() + " " + value.type())
                    .collect(Collectors.joining(", ", " -> ", "")));
            out.append(group.overwrites().isEmpty() ? "" : "over " + ShortForm.names(graph, group.overwrites()));
            out.append('\n');
        }
        return out.toString();
    }

    /** One node a line: what it makes, its bytes, and what it reads. */
    static String problem(PlanningProblem planning) {
        RematProblem problem = planning.problem();
        StringBuilder out = new StringBuilder();
        for (int n = 0; n < problem.nodeCount(); n++) {
            int node = n;
            out.append(n < planning.residents() ? "resident " : phase(problem.role(n)));
            out.append(list(problem.firstResult(n), problem.endResult(n), v -> result(problem, v)));
            out.append(problem.writes(n).isEmpty() ? "" : unitName(planning, n));
            String read = list(0, problem.inputCount(n), k -> problem.valueId(problem.input(node, k)));
            out.append(read.isEmpty() ? "" : " reads " + read);
            out.append(problem.workspaceBytes(n) == 0 ? "" : " workspace " + problem.workspaceBytes(n));
            out.append(planning.flops(n) == 0 ? "" : " flops " + planning.flops(n));
            out.append(problem.writes(n).isEmpty() ? "" : " over ");
            out.append(problem.writes(n).stream().map(problem::valueId).collect(Collectors.joining(", ")));
            out.append(n >= planning.residents() && problem.once(n) ? " once" : "");
            out.append('\n');
        }
        return out.toString();
    }

    private static String phase(Role role) {
        return role == Role.FORWARD ? "" : role.name().toLowerCase(Locale.ROOT) + " ";
    }

    private static String result(RematProblem problem, int value) {
        int below = problem.inPlaceOf(value);
        return problem.valueId(value) + " " + problem.bytes(value)
                + (below == ProblemValue.NONE ? "" : " in place of " + problem.valueId(below));
    }

    private static String list(int from, int to, IntFunction<String> text) {
        return IntStream.range(from, to).mapToObj(text).collect(Collectors.joining(", "));
    }

    private static String unitName(PlanningProblem planning, int node) {
        Graph graph = planning.fused().graph();
        Node root = graph.node(planning.group(node).root());
        return graph.value(root.results().getFirst()).name();
    }

    /** What the user decided about each unit. */
    static String pins(PlanningProblem planning) {
        StringBuilder out = new StringBuilder();
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            Pin pin = planning.problem().pin(n);
            String said = pin == Pin.NONE ? "open" : pin.name().toLowerCase(Locale.ROOT);
            out.append(unitName(planning, n)).append(' ').append(said).append('\n');
        }
        return out.toString();
    }

    static String retained(Graph graph) {
        return graph.values().stream()
                .filter(value -> value.retained().isPresent())
                .map(value -> value.name() + " " + value.retained().get() + "\n")
                .collect(Collectors.joining("", "retained\n", ""));
    }

    /** The graph without what {@code mark-retained} has to say. */
    static Graph withoutMarks(Graph graph) {
        List<Value> values = new ArrayList<>();
        for (Value v : graph.values()) {
            values.add(new Value(v.id(), v.name(), v.type(), v.definition(), v.pin(), Optional.empty(), v.mark()));
        }
        return new Graph(graph.name(), graph.inputs(), graph.nodes(), values, graph.outputs());
    }

    /** For each kernel the ranges that it writes and reads, and those that are free after it. */
    static String memory(KernelGraph kernels, MemoryPlan memory) {
        Graph graph = kernels.graph();
        StringBuilder out = new StringBuilder();
        out.append("arena ").append(memory.arenaBytes()).append(", peak ");
        out.append(memory.peakLiveBytes()).append('\n');
        for (int k = 0; k < kernels.kernels().size(); k++) {
            out.append(moves(kernels, memory, k));
            FusionGroup kernel = kernels.kernels().get(k);
            List<ValueId> writes = kernel.overwrites().isEmpty()
                    ? kernel.writes()
                    : graph.node(kernel.root()).results();
            out.append(places(graph, memory, writes)).append(" from ");
            out.append(places(graph, memory, kernel.reads()));
            ByteRange workspace = memory.workspaces().get(k);
            out.append(workspace.bytes() == 0 ? "" : ", workspace " + range(workspace));
            out.append(", live ").append(memory.liveBytes().get(k));
            List<ByteRange> freed = memory.freed().get(k);
            out.append(freed.isEmpty() ? "" : ", frees ");
            out.append(freed.stream().map(PassTexts::range).collect(Collectors.joining(" ")));
            out.append('\n');
        }
        return out.toString();
    }

    /** What is moved in front of a kernel; a store says where its copy lies below. */
    private static String moves(KernelGraph kernels, MemoryPlan memory, int before) {
        StringBuilder out = new StringBuilder();
        for (int number = 0; number < kernels.moves().size(); number++) {
            int place = number;
            BufferMove move = kernels.moves().get(number);
            if (move.before() == before) {
                out.append(
                        switch (move) {
                            case BufferMove.Store store ->
                                "store " + places(kernels.graph(), memory, List.of(store.buffer())) + " to "
                                        + store.home()
                                                .map(input -> "its home at "
                                                        + memory.below().homes().get(input.index()))
                                                .orElseGet(() -> ""
                                                        + memory.below()
                                                                .offsets()
                                                                .get(place))
                                        + (memory.below().freeing().contains(number) ? ", which frees it\n" : "\n");
                            case BufferMove.Fetch fetch ->
                                "fetch " + places(kernels.graph(), memory, List.of(fetch.buffer())) + "\n";
                            case BufferMove.Await await -> "await move " + await.move() + "\n";
                        });
            }
        }
        return out.toString();
    }

    private static String places(Graph graph, MemoryPlan memory, List<ValueId> values) {
        return values.stream()
                .map(graph::value)
                .map(value -> value.name() + " at "
                        + range(new ByteRange(
                                memory.offsets().get(value.id()), value.type().bytes())))
                .collect(Collectors.joining(", "));
    }

    private static String range(ByteRange range) {
        return range.offset() + "+" + range.bytes();
    }

    /** The graphs of a step's sections, those that have nodes. */
    static String sections(Optional<Graph> counted, Graph body, Optional<Graph> updates) {
        StringBuilder text = new StringBuilder();
        counted.ifPresent(graph -> text.append("counted:\n").append(ShortForm.of(graph)));
        text.append("body:\n").append(ShortForm.of(body));
        updates.filter(graph -> !graph.nodes().isEmpty())
                .ifPresent(graph -> text.append("once:\n").append(ShortForm.of(graph)));
        return text.toString();
    }
}
