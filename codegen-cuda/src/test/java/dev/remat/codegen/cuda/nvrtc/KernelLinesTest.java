package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelLinesTest {
    @Test
    void tellsHeadersAndKernelsApart() {
        KernelSource a = Kernels.twice("a");
        KernelSource b = Kernels.twice("b");
        KernelLines lines = new KernelLines(List.of(a, b), "header\nheader\n\n" + a.text() + "\n" + b.text());
        assertThat(lines.at(1)).isEmpty();
        assertThat(lines.at(3)).isEmpty();
        assertThat(lines.at(4)).contains(a);
        assertThat(lines.at(6)).contains(a);
        assertThat(lines.at(8)).contains(b);
        assertThat(lines.at(10)).contains(b);
        assertThat(lines.named("b")).contains(b);
        assertThat(lines.named("c")).isEmpty();
    }

    @Test
    void findsEveryKernelOfAComposedText() {
        List<KernelSource> kernels = List.of(Kernels.twice("a"), Kernels.roomy("b"), Kernels.twice("c"));
        String text = new ComposeSource().run(kernels);
        KernelLines lines = new KernelLines(kernels, text);
        List<String> each = text.lines().toList();
        for (int i = 0; i < each.size(); i++) {
            if (each.get(i).contains("__global__")) {
                assertThat(each.get(i))
                        .contains(" " + lines.at(i + 1).orElseThrow().symbol() + "(");
            }
        }
    }

    @Test
    void refusesATextOfOtherKernels() {
        assertThatThrownBy(() -> new KernelLines(List.of(Kernels.twice("a")), "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kernel a");
    }
}
