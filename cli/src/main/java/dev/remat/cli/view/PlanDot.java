package dev.remat.cli.view;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.StepFacts;
import dev.remat.ir.graph.Role;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A planned step as a graph for Graphviz: a node for each kernel in the order of the steps, an edge for each tensor
 * that one reads of another. Recomputations are dashed, nodes that change parameters or state are octagons, and
 * tensors that are retained are bold edges, so that nothing is told by colour alone.
 */
public record PlanDot(PlanAccount account) {
    /** Fills that are told apart by the colour-blind (Okabe and Ito, 2008), lightened. */
    private static final Map<Role, String> FILLS = fills();

    private static Map<Role, String> fills() {
        Map<Role, String> fills = new LinkedHashMap<>();
        fills.put(Role.FORWARD, "#d6ecf9");
        fills.put(Role.BACKWARD, "#fbe3c0");
        fills.put(Role.UPDATE, "#cfeee2");
        return fills;
    }

    /** The text of a {@code .dot} file. */
    public String text() {
        StringBuilder out = new StringBuilder("digraph plan {\n");
        out.append("  graph [label=")
                .append(quoted(ViewText.title(account.compilation())))
                .append(" labelloc=t];\n");
        out.append("  node [shape=box style=filled fontsize=10]; edge [fontsize=8];\n");
        Map<String, String> inputs = new LinkedHashMap<>();
        for (int k = 0; k < account.stepCount(); k++) {
            StepFacts step = account.step(k);
            node(out, step);
            for (Stay read : step.reads()) {
                String from = read.input()
                        ? inputs.computeIfAbsent(read.name().orElse(""), name -> "i" + inputs.size())
                        : "s" + read.first();
                edge(out, from, k, read);
            }
        }
        inputs.forEach((name, id) -> out.append("  ")
                .append(id)
                .append(" [shape=ellipse fillcolor=white label=")
                .append(quoted(name))
                .append("];\n"));
        return out.append("}\n").toString();
    }

    private void node(StringBuilder out, StepFacts step) {
        out.append("  s").append(step.index());
        out.append(" [label=").append(quoted(step.name() + "\n" + step.op()));
        out.append(" tooltip=")
                .append(quoted("step " + step.index() + ", "
                        + ViewText.time(account.compilation().costs(), step.cost()) + ", "
                        + ByteSize.format(step.liveBytes()) + " live, " + ViewText.place(step.location())));
        out.append(" fillcolor=").append(quoted(FILLS.get(step.role())));
        out.append(step.again() ? " style=\"filled,dashed\"" : "");
        out.append(step.role() == Role.UPDATE ? " shape=octagon" : "");
        out.append(step.index() == account.peakStep() ? " penwidth=3" : "");
        out.append("];\n");
    }

    private static void edge(StringBuilder out, String from, int to, Stay tensor) {
        out.append("  ").append(from).append(" -> s").append(to);
        out.append(" [tooltip=")
                .append(quoted(tensor.name().orElse("") + ", " + ByteSize.format(tensor.bytes()) + ", "
                        + tensor.kind().label()));
        out.append(tensor.kind() == Kind.RETAINED ? " style=bold" : "");
        out.append(tensor.kind() == Kind.RECOMPUTED ? " style=dashed" : "");
        out.append("];\n");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
