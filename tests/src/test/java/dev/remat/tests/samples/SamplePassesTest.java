package dev.remat.tests.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.stage.PassListener;
import dev.remat.ir.DType;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What every pass makes of every sample, on the way to a planning problem. */
class SamplePassesTest {
    static final List<SampleModel> SAMPLES = SampleModels.ALL;

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void everyPassLeavesAGraph(SampleModel sample) {
        for (TargetModel target : List.of(new CpuTarget(), new CudaTarget(Architecture.SM_80))) {
            List<String> verified = new ArrayList<>();
            PassListener verifying = (pass, graph) -> {
                GraphVerifier.verify(graph);
                verified.add(pass);
            };
            new Compiler(target, new RooflineCost(target.device()), SearchListener.NONE, verifying)
                    .prepare(sample.tinyModel().withPrecision(DType.BF16), CompileOptions.defaults());
            assertThat(verified).contains("differentiate", "channels-last", "keep-signs", "place-results");
        }
    }
}
