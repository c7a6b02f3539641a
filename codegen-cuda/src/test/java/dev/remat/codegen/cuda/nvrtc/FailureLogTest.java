package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.KernelCompilationException.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureLogTest {
    private static final String HEADER = "template <class T> __device__ void call(T x) {\n    x->missing();\n}\n";
    private static final KernelSource FIRST = Kernels.of("first", "x[0] = 1.0f;");
    private static final KernelSource USER = Kernels.of("user", "", "", "call(1.0f);", "resnet.model:7:3");
    private static final String TEXT = HEADER + "\n" + FIRST.text() + "\n" + USER.text();
    private static final KernelLines LINES = new KernelLines(List.of(FIRST, USER), TEXT);

    private static List<Problem> read(String log, String ptx) {
        return FailureLog.read(LINES, new Compilation(new byte[0], log, ptx));
    }

    /** The front end blames line 2, which is a header's, and says that line 10 led there. */
    @Test
    void leadsAnErrorInAHeaderToTheKernelThatCallsIt() {
        Compilation failed = Nvrtc.load().compile(TEXT, List.of("--gpu-architecture=sm_80", "--std=c++17"));
        assertThat(failed.succeeded()).isFalse();
        assertThat(FailureLog.read(LINES, failed)).singleElement().satisfies(problem -> {
            assertThat(problem.symbol()).isEqualTo("user");
            assertThat(problem.location()).isEqualTo("resnet.model:7:3");
            assertThat(problem.message()).startsWith("kernels.cu:2: ").contains("float");
        });
    }

    @Test
    void blamesNoKernelForAHeaderOnItsOwn() {
        assertThat(read("kernels.cu(2): error: expected a \";\"\n\nkernels.cu(6): error: no\n", ""))
                .extracting(Problem::symbol, Problem::message)
                .containsExactly(tuple("", "kernels.cu:2: expected a \";\""), tuple("first", "kernels.cu:6: no"));
    }

    @Test
    void leavesWarningsOut() {
        String log = "kernels.cu(6): warning #177-D: variable was declared\n  float unused;\n\n"
                + "kernels.cu(10): error #20: no\n";
        assertThat(read(log, "")).extracting(Problem::symbol).containsExactly("user");
    }

    @Test
    void findsTheEntryOfAnAssemblersLine() {
        String ptx = ".version 9.1\n.visible .entry first(\n)\n{\n}\n.visible .entry user(\n)\n{\n wrong;\n}\n";
        String log = "ptxas application ptx input, line 9; error   : Not a name of any known instruction: 'wrong'\n"
                + "ptxas fatal   : Ptx assembly aborted due to errors\n";
        assertThat(read(log, ptx)).extracting(Problem::symbol).containsExactly("user");
    }

    @Test
    void findsTheKernelThatTheAssemblerNames() {
        assertThat(read("ptxas error   : Entry function 'user' uses too much shared data\n", ""))
                .extracting(Problem::symbol)
                .containsExactly("user");
        assertThat(read("ptxas fatal   : Unresolved extern function 'elsewhere'\n", ""))
                .extracting(Problem::symbol)
                .containsExactly("");
    }

    @Test
    void tellsTheWholeLogIfItUnderstandsNothing() {
        assertThat(read("something new\n", ""))
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).isEqualTo("NVRTC says only: something new"));
    }
}
