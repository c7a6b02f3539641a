package dev.remat.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.command.TinyModels;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.search.EvaluationBudgetException;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.io.SourceFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvaluationBudgetTest {
    @TempDir
    Path folder;

    private ElaboratedModel model(String settings, Purpose purpose) throws IOException {
        Path file = Path.of(TinyModels.text(folder));
        return Elaborator.elaborate(
                ModelParser.parse(SourceFiles.read(file), new FolderIncludes(file)),
                Bindings.parse(List.of(settings)),
                purpose);
    }

    /** The budget is for the arena that training and evaluation share. */
    @Test
    void anEvaluationAboveTheBudgetIsRefused() throws IOException {
        ElaboratedModel small = model("B=1,T=16", Purpose.TRAIN);
        Compilation free = PlanOptions.compile(small, CompileOptions.defaults(), Target.cpu());
        long budget = free.plan().arenaBytes();
        Compilation step = PlanOptions.compile(small, CompileOptions.defaults().withBudget(budget), Target.cpu());
        assertThat(PlanOptions.compileWithin(step, model("B=1,T=16", Purpose.EVALUATE))
                        .arenaBytes())
                .isEqualTo(step.plan().arenaBytes())
                .isEqualTo(budget);
        ElaboratedModel large = model("B=64,T=16", Purpose.EVALUATE);
        assertThatThrownBy(() -> PlanOptions.compileWithin(step, large))
                .isInstanceOf(EvaluationBudgetException.class)
                .hasMessageContaining("the budget is " + budget);
        assertThat(PlanOptions.compileWithin(free, large).arenaBytes()).isGreaterThan(budget);
    }
}
