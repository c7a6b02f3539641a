package dev.remat.cli.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.lsp.text.TextLines;
import dev.remat.ir.diagnostic.Location;
import org.eclipse.lsp4j.Position;
import org.junit.jupiter.api.Test;

class TextLinesTest {
    private static final String TEXT = "ab\r\nc\rd😀e\n";

    private final TextLines lines = new TextLines(TEXT);

    @Test
    void findPositionsAcrossAllLineEnds() {
        assertThat(lines.position(2)).isEqualTo(new Position(0, 2));
        // Between the two characters of a line end there is no place.
        assertThat(lines.position(3)).isEqualTo(new Position(0, 2));
        assertThat(lines.position(4)).isEqualTo(new Position(1, 0));
        assertThat(lines.position(6)).isEqualTo(new Position(2, 0));
        assertThat(lines.position(9)).isEqualTo(new Position(2, 3));
        assertThat(lines.position(TEXT.length())).isEqualTo(new Position(3, 0));
    }

    @Test
    void findOffsetsAndTheNearestOfPlacesThatAreNot() {
        assertThat(lines.offset(new Position(2, 1))).isEqualTo(7);
        assertThat(lines.offset(new Position(0, 9))).isEqualTo(2);
        assertThat(lines.offset(new Position(7, 0))).isEqualTo(TEXT.length());
        assertThat(lines.offset(new Position(-1, 0))).isZero();
    }

    @Test
    void countLinesOfLocationsAsTheCompilerDoes() {
        // For the compiler a carriage return alone ends no line.
        assertThat(lines.offset(new Location("m", 2, 3))).isEqualTo(6);
        assertThat(lines.offset(new Location("m", 1, 2))).isEqualTo(1);
        assertThat(lines.offset(new Location("m", 9, 1))).isEqualTo(TEXT.length());
    }
}
