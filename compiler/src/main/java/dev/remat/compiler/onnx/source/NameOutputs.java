package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.Body;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Statement;
import java.util.List;

/** Gives the makers of outputs the outputs' names, where a statement would only repeat them. */
final class NameOutputs {
    private NameOutputs() {}

    /** @param outputs each of which a statement binds */
    static void run(Body body, List<String> outputs) {
        List<Statement> statements = body.statements();
        for (String output : outputs) {
            int at = indexOf(statements, output);
            Spelling value = statements.get(at).value();
            int maker = value.text().matches("\\w+") ? indexOf(statements, value.text()) : -1;
            if (maker < 0 || outputs.contains(value.text())) {
                continue;
            }
            statements.remove(at);
            for (int i = maker; i < statements.size(); i++) {
                statements.set(i, statements.get(i).renamed(value.text(), output));
            }
        }
    }

    private static int indexOf(List<Statement> statements, String name) {
        for (int i = 0; i < statements.size(); i++) {
            if (statements.get(i).names().contains(name)) {
                return i;
            }
        }
        return -1;
    }
}
