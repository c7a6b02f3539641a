package dev.remat.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.ir.diagnostic.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class MicroBatchOptionsTest {
    /** Takes these options alone. */
    @Command(name = "steps")
    private static final class Steps {
        @Mixin
        private MicroBatchOptions options;
    }

    private static MicroBatchOptions parse(String... args) {
        Steps steps = new Steps();
        new CommandLine(steps).parseArgs(args);
        return steps.options;
    }

    private static final ModelSession MODEL =
            ModelSession.of(ModelText.of(new Source("m", ""), IncludeResolver.NONE), ModelSettings.NONE);

    private static ModelSettings set(String... args) {
        return parse(args).cut(MODEL).settings();
    }

    @Test
    void theModelDecidesUnlessAskedOtherwise() {
        assertThat(set().microBatches()).isEmpty();
        assertThat(set("--micro-batches", "1").microBatches()).contains(1);
        assertThat(set("--micro-batches", "8").microBatches()).contains(8);
        assertThat(parse("--micro-batches", "8").isAuto()).isFalse();
    }

    @Test
    void aNumberMayBeLeftOpen() {
        assertThat(parse("--micro-batches=auto").isAuto()).isTrue();
        assertThat(set("--micro-batches=auto").microBatches()).isEmpty();
        assertThatThrownBy(() -> parse("--micro-batches=auto").cutAsGiven(MODEL))
                .isInstanceOf(ParameterException.class)
                .hasMessage("--micro-batches takes a number here, not auto");
    }

    @Test
    void batchNormsNormalizeMicroBatchesUnlessRefused() {
        assertThat(set("--micro-batches", "8").refusesBatchNorms()).isFalse();
        assertThat(set("--batch-norm", "micro").refusesBatchNorms()).isFalse();
        assertThat(set("--batch-norm", "error").refusesBatchNorms()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--micro-batches | 0 | it counts from 1, not 0",
                "--micro-batches | -2 | it counts from 1, not -2",
                "--micro-batches | 2.5 | '2.5' is not a whole number",
                "--micro-batches | 2147483648 | '2147483648' is beyond 2147483647",
                "--micro-batches | Auto | 'Auto' is neither a whole number nor auto",
                "--micro-batches | many | 'many' is neither a whole number nor auto",
                "--micro-batches | '' | '' is neither a whole number nor auto",
                "--batch-norm | whole | 'whole' is neither micro nor error",
                "--micro-batch-order | width | 'width' is neither depth nor breadth"
            })
    void whatIsNeitherIsRefusedWithWhatThereIs(String option, String value, String problem) {
        assertThatThrownBy(() -> parse(option, value))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("Invalid value for option '" + option + "'")
                .hasMessageEndingWith(problem);
    }

    @Test
    void microBatchesGoOneByOneUnlessAskedOtherwise() {
        assertThat(set("--micro-batches", "8").order()).isEqualTo(MicroBatchOrder.DEPTH);
        assertThat(set("--micro-batch-order", "breadth").order()).isEqualTo(MicroBatchOrder.BREADTH);
    }

    @Test
    void helpTellsTheDefaults() {
        String help = new CommandLine(new Steps())
                .setUsageHelpWidth(200)
                .getUsageMessage()
                .replaceAll("\\s+", " ");
        assertThat(help)
                .contains(
                        "--batch-norm=micro|error",
                        "error refuses the model. Default: micro.",
                        "--micro-batch-order=depth|breadth",
                        "the plan grows with their number. Default: depth.",
                        "--micro-batches=M|auto",
                        "Default: the model's.");
    }
}
