package dev.remat.cli.report;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.check.CheckReport;
import dev.remat.cli.check.PlanFinding;
import dev.remat.cli.check.PlanFinding.Outcome;
import dev.remat.cli.check.PlanFinding.Work;
import dev.remat.cli.console.ByteSize;
import dev.remat.ir.diagnostic.Count;
import dev.remat.runtime.check.GradientCheck;
import dev.remat.runtime.check.SlopeJudgement;
import dev.remat.runtime.check.SlopeVerdict;
import java.io.PrintStream;
import java.util.Locale;

/** What {@code check} found, for people. */
public final class CheckText {
    private final CheckReport report;
    private final PrintStream out;

    public CheckText(CheckReport report, PrintStream out) {
        this.report = report;
        this.out = out;
    }

    public void print() {
        Table plans = new Table("", LEFT, LEFT, RIGHT, RIGHT, LEFT, LEFT)
                .row("", "plan", "arena bytes", "kernels", "recomputed");
        for (PlanFinding plan : report.plans()) {
            switch (plan.outcome()) {
                case Outcome.Ran ran -> addRow(plans, status(plan.holds()), plan, ran.work());
                case Outcome.SamePlan same -> addRow(plans, "", plan, same.work());
                case Outcome.NoPlan _ -> plans.row("", plan.name(), "", "", "", detail(plan));
            }
        }
        plans.print(out);
        line(plans());
        line(report.plans().getFirst().name() + " gave " + report.reference());
        if (report.gradients().isEmpty()) {
            line("an artifact has no model, whose gradients could be held against differences");
            out.flush();
            return;
        }
        if (!report.savesMemory()) {
            line("no plan takes less memory than keep-all here; for larger sizes some do");
        }
        Table gradients = new Table("", LEFT, LEFT, LEFT)
                .row(status(report.count(SlopeVerdict.FAULT) == 0), "gradients", gradients());
        for (GradientCheck.Finding finding : report.gradients()) {
            if (finding.verdict() != SlopeVerdict.AGREES) {
                gradients.row(
                        finding.verdict() == SlopeVerdict.FAULT ? "FAILED" : "",
                        finding.verdict().name().toLowerCase(Locale.ROOT),
                        detail(finding));
            }
        }
        gradients.print(out);
        out.flush();
    }

    private static String status(boolean holds) {
        return holds ? "ok" : "FAILED";
    }

    private static void addRow(Table plans, String status, PlanFinding plan, Work work) {
        String recomputed = work.recomputedNodes() == 0
                ? "nothing"
                : Count.of(work.recomputedNodes(), "node") + ", " + Count.of(work.recomputedDraws(), "random draw");
        plans.row(
                status,
                plan.name(),
                Long.toString(work.arenaBytes()),
                Integer.toString(work.kernels()),
                recomputed + (work.movedBytes() == 0 ? "" : "; " + ByteSize.format(work.movedBytes()) + " moved"),
                detail(plan));
    }

    private String plans() {
        String compared = Count.of(report.distinctPlans(), "distinct plan") + " compared, " + report.recomputingPlans()
                + " of them with recomputations";
        String ran = report.gradients().isEmpty() ? "one plan ran in several ways" : compared;
        return ran + "; every arena was proven over tagged bytes and run with freed memory overwritten"
                + (report.usesArenasExactly() ? ", and kernels received all of it and no more" : "");
    }

    private String gradients() {
        return String.format(
                Locale.ROOT,
                "%d of %d parameters agree with differences in f64, %.1e apart at most; %s, %d undecided, %s",
                report.count(SlopeVerdict.AGREES),
                report.gradients().size(),
                report.largestGap(),
                Count.of(report.count(SlopeVerdict.KINK), "kink"),
                report.count(SlopeVerdict.UNDECIDED),
                Count.of(report.count(SlopeVerdict.FAULT), "fault"));
    }

    /** What came of a plan, in words. */
    static String detail(PlanFinding plan) {
        return switch (plan.outcome()) {
            case Outcome.SamePlan same -> "the same plan as " + same.name();
            case Outcome.NoPlan none -> "finds no plan: its smallest takes " + Count.bytes(none.smallestBytes());
            case Outcome.Ran ran -> {
                String memory = ran.trial().usesTheArenaExactly()
                        ? ""
                        : "; kernels received " + Count.bytes(ran.trial().highWaterBytes());
                yield (ran.difference().isEmpty() ? "same bits" : "other bits: " + ran.difference()) + memory;
            }
        };
    }

    private String detail(GradientCheck.Finding finding) {
        SlopeJudgement slope = finding.slope();
        String where = finding.parameter()
                + (finding.element().isPresent() ? "[" + finding.element().getAsInt() + "]" : "")
                + " of " + report.places().get(finding.parameter());
        return where + ": the plan says " + slope.analytic() + ", differences " + slope.left() + " before and "
                + slope.right() + " after the point";
    }

    private void line(String text) {
        out.println(text);
    }
}
