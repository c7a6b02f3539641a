import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.CostComparison;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.UnitCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Plans a model under several cost models, and prices every plan by measured times: {@code MODEL SETTINGS PROFILE}. */
final class PlanCosts {
    private static final CpuTarget TARGET = new CpuTarget();
    private static final int[] PERCENTS = {90, 80, 70, 60, 50};

    private PlanCosts() {}

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        Bindings settings = Bindings.parse(List.of(args[1]));
        ElaboratedModel model = Elaborator.elaborate(
                ModelParser.parse(SourceFiles.read(file), new FolderIncludes(file)), settings, Purpose.TRAIN);
        CompileOptions options = CompileOptions.defaults();
        CostFile.Profile measured = (CostFile.Profile) CostFileJson.read(Files.readAllBytes(Path.of(args[2])));
        ProfileCost profile = new ProfileCost(args[2], measured.profile());
        RooflineCost roofline = new RooflineCost(TARGET.device());
        Compilation kept = new Compiler(TARGET, profile).compile(model, options.withStrategy("keep-all"));
        for (int percent : PERCENTS) {
            CompileOptions within = options.withBudget(kept.memory().arenaBytes() * percent / 100);
            for (CostModel costs : List.of(new UnitCost(), roofline, profile)) {
                print(percent, costs, price(new Compiler(TARGET, costs), model, within, profile), price(kept, profile));
            }
        }
    }

    /** Nanoseconds of the plan by the profile; 0 where there is none within the budget. */
    private static long price(Compiler compiler, ElaboratedModel model, CompileOptions options, ProfileCost profile) {
        try {
            return price(compiler.compile(model, options), profile);
        } catch (BudgetException e) {
            return 0;
        }
    }

    private static long price(Compilation compilation, ProfileCost profile) {
        CostComparison comparison = CostComparison.of(compilation, profile);
        return comparison.total().measuredNanos() + comparison.estimatedNanos();
    }

    private static void print(int percent, CostModel costs, long nanos, long keepAll) {
        System.out.printf(
                Locale.ROOT,
                "%d %% of keep-all, planned by %s: %s%n",
                percent,
                costs.name(),
                nanos == 0
                        ? "does not fit"
                        : String.format(Locale.ROOT, "+%.2f %%", 100.0 * (nanos - keepAll) / keepAll));
    }
}
