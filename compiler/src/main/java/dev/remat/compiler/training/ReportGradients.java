package dev.remat.compiler.training;

import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.GraphBuilder;
import java.util.List;

/** Changes no parameter; every gradient becomes an output {@code grad.<parameter>}. */
public final class ReportGradients implements Differentiate.Completion {
    @Override
    public void begin(GraphBuilder builder, List<ValueId> parameters) {}

    @Override
    public void complete(GraphBuilder builder, ParameterGradient gradient) {}

    @Override
    public void end(GraphBuilder builder, List<ParameterGradient> gradients) {
        gradients.forEach(
                g -> builder.output("grad." + builder.value(g.parameter()).name(), g.gradient()));
    }
}
