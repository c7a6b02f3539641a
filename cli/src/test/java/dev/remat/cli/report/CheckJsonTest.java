package dev.remat.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.check.CheckReport;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.Json;
import dev.remat.runtime.check.GradientCheck.Finding;
import dev.remat.runtime.check.SlopeJudgement;
import dev.remat.runtime.check.SlopeVerdict;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class CheckJsonTest {
    /** JSON has neither NaN nor infinities; a text in place of a number would be a trap for who reads it. */
    @Test
    void whatIsNoNumberIsNull() throws IOException {
        SlopeJudgement slope = new SlopeJudgement(SlopeVerdict.FAULT, Double.NaN, Double.NEGATIVE_INFINITY, 0.5);
        CheckReport report = new CheckReport(
                1,
                List.of(),
                List.of(new Finding("w", slope.verdict(), slope, OptionalInt.empty())),
                Map.of("w", "m:1"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Json.printLine(new Console(out, out, false, false), new CheckJson(report)::writeTo);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("\"analytic\":null,\"left\":null,\"right\":0.5")
                .doesNotContain("NaN", "Infinity");
    }
}
