package dev.remat.cli.train;

import dev.remat.cli.console.Json;
import dev.remat.cli.report.PlanJson;
import dev.remat.cli.view.PlanFile;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.runtime.log.RunLog;

/** Puts a plan beside what is logged, so that reports hold what is measured against what was planned. */
public final class DescribePlan {
    private DescribePlan() {}

    /** Of every start of a run, from the step on that it begins with. */
    public static void in(RunLog log, Compilation compilation) {
        byte[] plan = Json.bytes(new PlanJson(PlanAccount.of(compilation), 0)::writeTo);
        log.describe(step -> Json.with(plan, PlanFile.FROM_STEP, step));
    }
}
