package dev.remat.cli.view;

import dev.remat.compiler.view.PlanView;
import dev.remat.ir.ValueId;
import java.io.PrintStream;
import java.util.List;

/** What {@code remat explain} tells people. */
public final class ExplainText {
    private final PlanView view;
    private final PrintStream out;

    public ExplainText(PlanView view, PrintStream out) {
        this.view = view;
        this.out = out;
    }

    /** One value whole, several as a list. */
    public void value(String asked, List<ValueId> found) {
        ValueText text = new ValueText(view, out);
        if (found.size() == 1) {
            text.print(view.value(found.getFirst()));
        } else {
            text.list(asked, found.stream().map(view::unpriced).toList());
        }
    }

    public void step(int step) {
        new StepText(view, out).print(step);
    }

    public void peak() {
        new StepText(view, out).printPeak();
    }
}
