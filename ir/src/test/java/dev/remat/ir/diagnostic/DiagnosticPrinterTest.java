package dev.remat.ir.diagnostic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DiagnosticPrinterTest {
    private static final Source SOURCE = new Source("a.model", "remat 1\n\tx = linera(y)\n");

    private final DiagnosticPrinter printer =
            new DiagnosticPrinter(file -> file.equals("a.model") ? Optional.of(SOURCE) : Optional.empty());

    @Test
    void underlinesTheSpanUnderTheSourceLine() {
        Diagnostic finding = Diagnostic.error(
                        "E0201", new Location("a.model", 2, 6), "unknown name 'linera'", "did you mean 'linear'?")
                .underlining(6);
        assertThat(printer.print(List.of(finding)))
                .isEqualTo("a.model:2:6: error[E0201]: unknown name 'linera'\n"
                        + " 2 | \tx = linera(y)\n"
                        + "   | \t    ^^^^^^\n"
                        + "   = did you mean 'linear'?\n");
    }

    @Test
    void controlCharactersTakeOnePlaceAndAreNotPrinted() {
        Source source = new Source("e.csv", "\u001b[31ma,x\u009b\u007f,\u00e9\n");
        Diagnostic finding = Diagnostic.error("E0608", new Location("e.csv", 1, 11), "no integer");
        assertThat(new DiagnosticPrinter(file -> Optional.of(source)).print(List.of(finding)))
                .isEqualTo("e.csv:1:11: error[E0608]: no integer\n"
                        + " 1 | \uFFFD[31ma,x\uFFFD\uFFFD,\u00e9\n"
                        + "   |           ^\n");
    }

    @Test
    void leavesOutTheSourceLineOfAFileItCannotSee() {
        Diagnostic finding = Diagnostic.error("E0201", new Location("b.model", 2, 6), "unknown name 'f'");
        assertThat(printer.print(List.of(finding))).isEqualTo("b.model:2:6: error[E0201]: unknown name 'f'\n");
    }

    @Test
    void collectsAtMostTwentyAndOnePerLocation() {
        Diagnostics diagnostics = new Diagnostics();
        assertThatCode(diagnostics::throwIfErrors).doesNotThrowAnyException();
        for (int line = 30; line > 0; line--) {
            diagnostics.add(Diagnostic.error("E0102", new Location("a.model", line, 1), "first"));
            diagnostics.add(Diagnostic.error("E0102", new Location("a.model", line, 1), "second"));
        }
        assertThat(diagnostics.inOrder())
                .hasSize(20)
                .allMatch(finding -> finding.message().equals("first"));
        assertThat(diagnostics.inOrder().getFirst().location().line()).isEqualTo(11);
        assertThatThrownBy(diagnostics::throwIfErrors).isInstanceOf(ModelException.class);
    }
}
