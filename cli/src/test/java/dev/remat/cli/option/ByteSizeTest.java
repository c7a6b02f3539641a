package dev.remat.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.console.ByteSize;
import dev.remat.codegen.cuda.target.Card;
import dev.remat.compiler.search.Budget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1048576, 1048576",
        "17B, 17",
        "6GiB, 6442450944",
        "6 GiB, 6442450944",
        "6GB, 6000000000",
        "1.5KiB, 1536",
        "0.3KiB, 307",
        "2TiB, 2199023255552",
        "3TB, 3000000000000",
        "8388607TiB, 9223370937343148032"
    })
    void parsesExactly(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "6G, GiB",
        "6gb, GiB",
        "6X, KiB",
        "-1GB, not a size",
        "GiB, not a size",
        "'', not a size",
        "9000000TiB, too large",
        "1e3, not a size",
        "99999999999999999999, too large",
        "1.5, no whole number of bytes",
        "0.5B, no whole number of bytes",
        "9223372036854775808, too large"
    })
    void refusesWhatIsAmbiguousOrTooLarge(String text, String problem) {
        assertThatThrownBy(() -> ByteSize.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.00 KiB",
        "1536, 1.50 KiB",
        "10240, 10.0 KiB",
        "1048575, 1.00 MiB",
        "6442450944, 6.00 GiB",
        "134217728, 128 MiB",
        "1125899906842624, 1024 TiB"
    })
    void printsThreeDigits(long bytes, String text) {
        assertThat(ByteSize.format(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"1, 1 byte", "1023, 1023 bytes", "1536, 1536 bytes (1.50 KiB)"})
    void printsExactlyWithARoundedSizeWhereThatHelps(long bytes, String text) {
        assertThat(ByteSize.exactly(bytes)).isEqualTo(text);
    }

    @Test
    void budgetsAreSizesOrShares() {
        assertThat(BudgetConverter.parse("1KiB")).isEqualTo(new Budget.Bytes(1024));
        assertThat(BudgetConverter.parse("90%")).isEqualTo(new Budget.Share(0.9));
        assertThat(BudgetConverter.parse("100%")).isEqualTo(new Budget.Share(1.0));
        assertThat(BudgetConverter.parse("h100")).isEqualTo(new Budget.Bytes(Card.H100.usableBytes()));
        assertThat(BudgetConverter.parse("A100-40GB"))
                .isEqualTo(new Budget.Bytes((long) (39.3 * (1L << 30)) - (1L << 30)));
        assertThatThrownBy(() -> BudgetConverter.parse("a100-40g")).hasMessageContaining("did you mean 'a100-40gb'?");
        for (String wrong : new String[] {"0%", "101%", "-5%", "%", "x%", "5 apples"}) {
            assertThatThrownBy(() -> BudgetConverter.parse(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
