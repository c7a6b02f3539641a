package dev.remat.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.option.MicroBatchOptions.BatchNorm;
import dev.remat.cli.option.MicroBatchOptions.Count;
import dev.remat.compiler.batch.MicroBatchOrder;
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

    @Test
    void theModelDecidesUnlessAskedOtherwise() {
        assertThat(parse().count()).isEqualTo(new Count.AsModelSays());
        assertThat(parse("--micro-batches", "1").count()).isEqualTo(new Count.Given(1));
        assertThat(parse("--micro-batches", "8").count()).isEqualTo(new Count.Given(8));
        assertThat(parse("--micro-batches=auto").count()).isEqualTo(new Count.Auto());
    }

    @Test
    void batchNormsNormalizeMicroBatchesUnlessRefused() {
        assertThat(parse("--micro-batches", "8").batchNorm()).isEqualTo(BatchNorm.MICRO);
        assertThat(parse("--batch-norm", "micro").batchNorm()).isEqualTo(BatchNorm.MICRO);
        assertThat(parse("--batch-norm", "error").batchNorm()).isEqualTo(BatchNorm.ERROR);
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
        assertThat(parse("--micro-batches", "8").order()).isEqualTo(MicroBatchOrder.DEPTH);
        assertThat(parse("--micro-batch-order", "breadth").order()).isEqualTo(MicroBatchOrder.BREADTH);
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
