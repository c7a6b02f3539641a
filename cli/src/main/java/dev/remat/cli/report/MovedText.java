package dev.remat.cli.report;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.StepMovement;
import dev.remat.compiler.solve.Movement;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.ProfileCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a step moves, as rows of a table. */
public final class MovedText {
    private static final String DISK = "disk";
    private static final int WEAR_STEPS = 1000;
    private static final double TERA = 1e12;

    /** One line of the table. */
    public record Row(String label, String amount, String note) {}

    private final StepMovement moved;
    private final PlanAccount account;
    private final Compilation compilation;

    public MovedText(StepMovement moved, PlanAccount account) {
        this.moved = moved;
        this.account = account;
        this.compilation = account.compilation();
    }

    /** None where nothing is moved. */
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        if (moved.tensors().isEmpty() && moved.step().storeBytes() == 0) {
            return rows;
        }
        MovementText text = new MovementText(moved.step(), moved.nanos());
        rows.add(new Row(
                "stored",
                ByteSize.format(moved.step().storeBytes()),
                "and " + ByteSize.format(moved.step().fetchBytes()) + " fetched, " + Count.of(moved.ways(), "time")));
        for (Movement.TierUse tier : moved.step().tiers()) {
            long bytes = moved.placeBytes(tier.name());
            if (bytes > 0) {
                rows.add(new Row("on the " + tier.name(), ByteSize.format(bytes), "at peak; " + text.lanes(tier)));
            }
        }
        rows.add(new Row(
                "exposed", PlanText.time(compilation.costs(), moved.step().exposedNanos()), text.exposed()));
        if (moved.step().interferenceNanos() > 0) {
            rows.add(new Row(
                    "interference",
                    PlanText.time(compilation.costs(), moved.step().interferenceNanos()),
                    text.interference()));
        }
        long besideNext = account.besideNextNanos();
        if (besideNext > 0) {
            rows.add(new Row("run on", PlanText.time(compilation.costs(), besideNext), text.besideNext(besideNext)));
        }
        if (moved.placeBytes(DISK) > 0) {
            rows.add(new Row("disk wear", wear(), "written in " + WEAR_STEPS + " steps" + basis(compilation.costs())));
        }
        return rows;
    }

    /** Of all that is stored: an upper bound where there is a host's memory beside the disk. */
    private String wear() {
        return String.format(Locale.ROOT, "%.3g TB", WEAR_STEPS * moved.step().storeBytes() / TERA);
    }

    private static String basis(CostModel costs) {
        boolean measured = costs instanceof ProfileCost profile && profile.isMeasured();
        return measured ? "" : "; times are estimated";
    }
}
