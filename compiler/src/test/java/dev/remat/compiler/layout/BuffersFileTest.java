package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.layout.PackProblem.Row;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

class BuffersFileTest {
    private static PackProblem read(String text) {
        return BuffersReader.read(new Source("b.csv", text));
    }

    /** Headlines of what is wrong with a text. */
    private static String errors(String text) {
        ModelException e = catchThrowableOfType(ModelException.class, () -> read(text));
        assertThat(e).as("%s is accepted", text).isNotNull();
        return String.join(
                "\n", e.diagnostics().stream().map(Diagnostic::headline).toList());
    }

    @Test
    void columnsStandInAnyOrderAndGoByOtherNames() {
        PackProblem problem =
                read("size, alignment,upper,start,buffer\r\n7,4, 9,-3,x\r\n\r\n" + "0,1,9223372036854775807,2,y\r\n");
        assertThat(problem.rows()).containsExactly(new Row("x", -3, 9, 7, 4), new Row("y", 2, Long.MAX_VALUE, 0, 1));
        assertThat(problem.buffers().getFirst().lower()).isZero();
        assertThat(problem.buffers().getFirst().upper()).isEqualTo(2);
        assertThat(problem.buffers().getLast().upper()).isEqualTo(3);
        assertThat(read("id,lower,upper,size\n").rows()).isEmpty();
    }

    @Test
    void writesWhatItReadsWithOffsets() {
        String plain = BuffersWriter.write(read("upper,lower,id,size\n5,1,b,3\n9,2,a,4\n"), List.of(4L, 0L));
        assertThat(plain).isEqualTo("id,lower,upper,size,offset\nb,1,5,3,4\na,2,9,4,0\n");
        assertThat(read(plain.replace(",offset", "").replace(",4\na", "\na").replace(",0\n", "\n"))
                        .rows())
                .isEqualTo(read("id,lower,upper,size\nb,1,5,3\na,2,9,4\n").rows());
        assertThat(BuffersWriter.write(read("id,lower,upper,size,alignment\nb,1,5,3,8\n"), List.of(0L)))
                .isEqualTo("id,lower,upper,size,alignment,offset\nb,1,5,3,8,0\n");
    }

    @Test
    void utilisationIsTheShareOfTimeAndHeight() {
        PackProblem problem = read("id,lower,upper,size\na,10,20,3\nb,20,30,1\n");
        assertThat(problem.utilisation(4)).isEqualTo((3 * 10 + 10) / (4.0 * 20));
    }

    @Test
    void wrongColumnsAreRefused() {
        assertThat(errors("")).startsWith("b.csv:1:1: error[E0607]: expected a line with the columns' names");
        assertThat(errors("id,lower,upper\n")).contains("E0607").contains("no column 'size'");
        assertThat(errors("id,lower, upper,size,length\n"))
                .startsWith("b.csv:1:22: error[E0607]")
                .contains("'length'");
        assertThat(errors("id,lower,upper,size,start\n")).startsWith("b.csv:1:21: error[E0607]: second column 'lower'");
        for (String other : List.of("end", "offset", "gaps")) {
            assertThat(errors("id,lower,upper,size," + other + "\n")).contains("unknown column '" + other + "'");
        }
    }

    @Test
    void wrongValuesAreRefusedWithTheirLocations() {
        String header = "id,lower,upper,size,alignment\n";
        assertThat(errors(header + "a,0,1,5\n")).startsWith("b.csv:2:1: error[E0608]: expected 5 fields, not 4");
        assertThat(errors(header + "a,0,1.5,5,1\n")).startsWith("b.csv:2:5: error[E0608]: '1.5' is not an integer");
        assertThat(errors(header + "a,1,1,5,1\n")).contains("b.csv:2:1: error[E0608]: 'a' is live from 1 up to 1");
        assertThat(errors(header + "a,0,1,-5,1\n")).contains("b.csv:2:7: error[E0608]: a size is from 0");
        assertThat(errors(header + "a,0,1,5,6\n")).contains("b.csv:2:9: error[E0608]: an alignment is a power of two");
        assertThat(errors(header + "a,0,1,5,1\n,0,1,5,1\n")).contains("b.csv:3:1: error[E0608]: an id is neither");
        assertThat(errors(header + "a,0,1,5,1\na,0,1,5,1\n"))
                .contains("b.csv:3:1: error[E0608]")
                .contains("there is a buffer 'a' in line 2");
        assertThat(errors(header + "a,0,1,999999999999999999,1\nb,0,1,999999999999999999,1\n"))
                .contains("2^60");
        assertThat(errors(header + "x\n".repeat(100)).lines()).hasSize(20);
    }
}
