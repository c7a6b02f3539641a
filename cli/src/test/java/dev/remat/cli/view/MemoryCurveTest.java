package dev.remat.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.TinyModels;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryCurveTest {
    private static final int AXIS = 11;
    private static final int ROWS = 6;

    @TempDir
    Path folder;

    private ElaboratedModel model;

    @BeforeEach
    void readModel() throws IOException {
        Path file = Path.of(TinyModels.text(folder));
        model = Elaborator.elaborate(
                ModelParser.parse(SourceFiles.read(file), new FolderIncludes(file)),
                Bindings.parse(List.of("B=4,T=16")));
    }

    private PlanAccount view(CompileOptions options) {
        CpuTarget target = new CpuTarget();
        return PlanAccount.of(new Compiler(target, new RooflineCost(target.device())).compile(model, options));
    }

    private PlanAccount kept() {
        return view(CompileOptions.defaults());
    }

    /** Eighths of lines that a column has above the lowest line. */
    private static int height(List<String> lines, int column) {
        int height = 0;
        for (String line : lines.subList(1, ROWS)) {
            char cell = line.length() > AXIS + column ? line.charAt(AXIS + column) : ' ';
            height += "─".indexOf(cell) >= 0 ? 0 : " ▁▂▃▄▅▆▇█".indexOf(cell);
        }
        return height;
    }

    @Test
    void isAsHighAsMemoryIsFullAtEveryStep() {
        PlanAccount view = kept();
        int steps = view.stepCount();
        List<String> lines = new MemoryCurve(view, AXIS + steps, ROWS, true).lines();
        int full = (ROWS - 1) * 8;
        for (int k = 0; k < steps; k++) {
            assertThat(height(lines, k)).isLessThanOrEqualTo(full);
            for (int other = 0; other < steps; other++) {
                if (view.liveBytes(k) < view.liveBytes(other)) {
                    assertThat(height(lines, k)).as("%d, %d", k, other).isLessThanOrEqualTo(height(lines, other));
                }
            }
        }
        assertThat(height(lines, view.peakStep())).isEqualTo(full);
        assertThat(lines.getFirst().indexOf('▼')).isEqualTo(AXIS + view.peakStep());
    }

    @Test
    void tellsWhatStepsAreFor() {
        PlanAccount view = view(CompileOptions.defaults().withStrategy("sqrt"));
        int steps = view.stepCount();
        String phases = new MemoryCurve(view, AXIS + steps, ROWS, true)
                .lines()
                .get(ROWS + 1)
                .substring(AXIS);
        assertThat(phases).hasSize(steps).startsWith("f").endsWith("u").contains("b", "r");
        assertThat(phases.chars().filter(letter -> letter == 'r').count())
                .isEqualTo(view.compilation().plan().steps().stream()
                        .filter(step -> step.recomputed())
                        .count());
        String kept = new MemoryCurve(kept(), AXIS + kept().stepCount(), ROWS, true)
                .lines()
                .get(ROWS + 1);
        assertThat(kept).doesNotContain("r");
    }

    @Test
    void fitsAnyWidth() {
        PlanAccount view = kept();
        for (int columns : List.of(40, 57, 80, 120)) {
            List<String> lines = new MemoryCurve(view, columns, ROWS, true).lines();
            assertThat(lines).hasSize(columns < 70 ? ROWS + 4 : ROWS + 3).allMatch(line -> line.length() <= columns);
            assertThat(String.join("", lines)).contains("▼", "█", "░");
        }
    }

    @Test
    void isAsciiWhereNothingElseCanBeShown() {
        String text = String.join("\n", new MemoryCurve(kept(), 60, ROWS, false).lines());
        assertThat(StandardCharsets.US_ASCII.newEncoder().canEncode(text)).isTrue();
        assertThat(text).contains("#", "v ", "|", ": throughout");
    }

    @Test
    void drawsABudgetThatIsNear() {
        long arena = kept().compilation().memory().arenaBytes();
        PlanAccount near = view(CompileOptions.defaults().withBudget(arena + arena / 4));
        List<String> lines = new MemoryCurve(near, 80, ROWS, true).lines();
        assertThat(lines.get(1)).contains("─").doesNotContain("█");
        assertThat(lines.getLast()).contains("─ budget");
        PlanAccount far = view(CompileOptions.defaults().withBudget(5 * arena));
        assertThat(String.join("\n", new MemoryCurve(far, 80, ROWS, true).lines()))
                .doesNotContain("─");
    }
}
