package dev.remat.ir.text;

import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Value;
import java.util.stream.Collectors;

/**
 * The text form of a graph, one node a line; {@link GraphParser} reads it back to an equal graph.
 *
 * <pre>
 * graph "Mlp" {
 *   input %0 "x" f32[8, 4] data @mlp.model:4:3
 *   input %1 "w" f32[2, 4] parameter normal(0.0, 0.02) @mlp.model:6:7
 *   %2 "y" f32[8, 2] retained("pinned") = matmul{transpose_a=false, transpose_b=true}(%0, %1) forward "" @mlp.model:6:7
 *   output "y" %2
 * }
 * </pre>
 */
public final class GraphPrinter {
    private GraphPrinter() {}

    public static String print(Graph graph) {
        StringBuilder out = new StringBuilder(128 * (graph.nodes().size() + 1));
        out.append("graph ").append(quote(graph.name())).append(" {\n");
        for (GraphInput input : graph.inputs()) {
            out.append("  input ").append(define(graph, input.value()));
            out.append(' ').append(input.kind().label());
            if (input.kind().isPersistent()) {
                out.append(' ').append(input.initializer());
            }
            out.append(rows(input)).append(share(input));
            out.append(at(input.location())).append('\n');
        }
        for (Node node : graph.nodes()) {
            out.append("  ").append(print(graph, node)).append('\n');
        }
        for (GraphOutput output : graph.outputs()) {
            out.append("  output ")
                    .append(quote(output.name()))
                    .append(' ')
                    .append(output.value())
                    .append('\n');
        }
        return out.append("}\n").toString();
    }

    private static String rows(GraphInput input) {
        return input.rows()
                .map(rows -> " rows(" + quote(rows.tensor()) + ", " + rows.from() + ")")
                .orElse("");
    }

    private static String share(GraphInput input) {
        return input.share()
                .map(share -> share.parts().stream()
                        .map(part -> quote(part.tensor()) + " " + part.type() + " " + part.initializer() + " "
                                + part.first() + at(part.location()))
                        .collect(Collectors.joining(" ", " share(", " )")))
                .orElse("");
    }

    /** One node as its line, without indentation. */
    public static String print(Graph graph, Node node) {
        StringBuilder out = new StringBuilder();
        out.append(node.results().stream().map(id -> define(graph, id)).collect(Collectors.joining(", ")));
        out.append(node.results().isEmpty() ? "= " : " = ");
        out.append(node.op().mnemonic()).append(node.op().attributes());
        out.append(node.operands().stream().map(ValueId::toString).collect(Collectors.joining(", ", "(", ")")));
        out.append(' ').append(node.role().label());
        out.append(origin(node.origin()));
        node.clonedFrom().ifPresent(original -> out.append(" remat ").append(original));
        return out.toString();
    }

    private static String define(Graph graph, ValueId id) {
        Value value = graph.value(id);
        return id + " " + quote(value.name()) + " " + value.type()
                + value.pin()
                        .map(pin -> " " + pin.kind().participle() + at(pin.location()))
                        .orElse("")
                + value.retained()
                        .map(reason -> " retained(" + quote(reason) + ")")
                        .orElse("");
    }

    private static String origin(Origin origin) {
        StringBuilder out = new StringBuilder(" ").append(quote(origin.scope()));
        for (var region = origin.region();
                region.isPresent();
                region = region.get().parent()) {
            Region r = region.get();
            out.append(" in ")
                    .append(r.ordinal())
                    .append('/')
                    .append(r.segments())
                    .append(at(r.location()));
        }
        return out.append(at(origin.location())).toString();
    }

    private static String at(Location location) {
        return " @" + quoteFile(location.file()) + ":" + location.line() + ":" + location.column();
    }

    /** A file name with a blank in it would break the line into other words. */
    private static String quoteFile(String file) {
        return file.replace("%", "%25").replace(" ", "%20").replace("\n", "%0A");
    }

    static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
