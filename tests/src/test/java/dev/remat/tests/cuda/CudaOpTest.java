package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.tests.cuda.StepSuite.Entry;
import dev.remat.tests.steps.AllCases;
import dev.remat.tests.steps.ChannelCases;
import dev.remat.tests.steps.FusedCases;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.OpCases;
import dev.remat.tests.steps.ProductCases;
import dev.remat.tests.steps.RangeCases;
import dev.remat.tests.steps.SumCases;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every family of kernels against the plain loops of the reference, executed on the CPU. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class CudaOpTest {
    private static final List<DType> ALL = List.of(DType.F32, DType.F64, DType.BF16, DType.F16);
    private static final List<DType> USUAL = List.of(DType.F32, DType.F64, DType.BF16);
    /** What models are trained in; the others have the same kernels but for names of types. */
    private static final List<DType> TRAINED = List.of(DType.F32, DType.BF16);

    private static final StepSuite SUITE = new StepSuite();

    @BeforeAll
    static void compileAllCasesAtOnce() {
        SUITE.add(cases(), Architecture.SM_80, CodegenOptions.DEFAULT, "default");
        SUITE.add(casesInTf32(), Architecture.SM_80, new CodegenOptions(false, true), "tf32");
        SUITE.compile();
    }

    private static List<OpCase> cases() {
        List<OpCase> cases = new ArrayList<>();
        for (DType dtype : AllCases.asked() ? ALL : TRAINED) {
            cases.addAll(OpCases.examples(dtype));
        }
        for (DType dtype : AllCases.asked() ? USUAL : TRAINED) {
            cases.addAll(OpCases.larger(dtype));
            cases.addAll(OpCases.normalizations(dtype));
            cases.addAll(OpCases.labelled(dtype));
            cases.addAll(ChannelCases.convolutions(dtype));
            cases.addAll(ChannelCases.pools(dtype));
            cases.addAll(RangeCases.all(dtype));
            cases.addAll(RangeCases.ofGpus(dtype));
        }
        cases.addAll(OpCases.edges());
        cases.add(OpCases.manyClasses(DType.F32, false));
        cases.add(OpCases.manyClasses(DType.F32, true));
        cases.add(OpCases.manyClasses(DType.F64, false));
        cases.add(OpCases.manyClasses(DType.F64, true));
        for (DType dtype : AllCases.asked() ? ALL : TRAINED) {
            cases.addAll(FusedCases.chains(dtype, 24, 11));
            cases.addAll(FusedCases.prologues(dtype, 12, 12));
            cases.addAll(FusedCases.epilogues(dtype, 6, 13));
            cases.addAll(FusedCases.several(dtype, 9, 15));
            cases.addAll(FusedCases.normalizations(dtype, 6, 17));
            cases.addAll(FusedCases.signs(dtype, 9, 18));
            cases.addAll(ProductCases.matrices(dtype));
            cases.addAll(ProductCases.exact(dtype));
            cases.addAll(ProductCases.convolutions(dtype));
            cases.addAll(SumCases.lists(dtype));
            cases.addAll(SumCases.frequent(dtype));
        }
        return cases;
    }

    /** What takes tensor cores in f32; types of 16 bits take them wherever they can. */
    private static List<OpCase> casesInTf32() {
        List<OpCase> cases = new ArrayList<>();
        cases.addAll(ProductCases.matrices(DType.F32));
        cases.addAll(ProductCases.exact(DType.F32));
        cases.addAll(ProductCases.convolutions(DType.F32));
        cases.addAll(ChannelCases.convolutions(DType.F32));
        cases.addAll(FusedCases.epilogues(DType.F32, 6, 14));
        cases.addAll(FusedCases.several(DType.F32, 6, 16));
        cases.addAll(FusedCases.signs(DType.F32, 6, 19));
        Stream.concat(OpCases.examples(DType.F32).stream(), OpCases.larger(DType.F32).stream())
                .filter(sample -> sample.mentions(Attention.class) || sample.mentions(AttentionGradient.class))
                .forEach(cases::add);
        cases.addAll(RangeCases.attention(DType.F32));
        cases.replaceAll(OpCase::inTf32);
        return cases;
    }

    static List<Entry> entries() {
        return SUITE.entries();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void agreesWithTheReference(Entry entry) {
        SUITE.check(entry);
    }

    @AfterAll
    static void everyKernelWasExecuted() {
        SUITE.expectThatEveryKernelWasExecuted();
    }
}
