package dev.remat.cli.report;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void alignsEachColumnToItsSide() {
        assertThat(new Table("  ", LEFT, RIGHT, LEFT)
                        .row("arena", "17.8 MiB", "everything")
                        .row("keeping all", "4 B", "no more")
                        .lines())
                .containsExactly(
                        "  arena        17.8 MiB  everything", //
                        "  keeping all       4 B  no more");
    }

    @Test
    void aLongNameMovesEveryRow() {
        String name = "a.layer.whose.name.is.longer.than.anyone.thought";
        assertThat(new Table("", LEFT, RIGHT).row(name, "1").row("b", "10").lines())
                .containsExactly(name + "   1", "b" + " ".repeat(name.length() - 1) + "  10");
    }

    @Test
    void linesBetweenWidenNothing() {
        Table inner = new Table("    ", LEFT, RIGHT).row("x", "1");
        assertThat(new Table("  ", LEFT, RIGHT)
                        .line("A heading as long as can be")
                        .row("a", "1")
                        .lines(inner)
                        .line("")
                        .row("bc", "23")
                        .lines())
                .containsExactly("A heading as long as can be", "  a    1", "    x  1", "", "  bc  23");
    }

    @Test
    void emptyCellsKeepTheirPlaceAndLeaveNoSpacesAtTheEnd() {
        assertThat(new Table("", LEFT, RIGHT, LEFT)
                        .row("a", "12", "")
                        .row("", "", "note")
                        .row("b")
                        .lines())
                .containsExactly("a  12", "       note", "b");
    }

    /** Both names are three signs long, though one takes four chars. */
    @Test
    void countsSignsAndNotTheirChars() {
        assertThat(new Table("", LEFT, LEFT).row("a𝛼c", "x").row("abc", "y").lines())
                .containsExactly("a𝛼c  x", "abc  y");
    }

    @Test
    void isEmptyWithoutRows() {
        assertThat(new Table("  ", LEFT).lines()).isEmpty();
    }

    @Test
    void refusesMoreCellsThanColumns() {
        assertThatThrownBy(() -> new Table("", LEFT).row("a", "b")).hasMessage("2 cells in 1 columns");
    }
}
