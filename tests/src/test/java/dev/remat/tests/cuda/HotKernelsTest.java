package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.sass.Cubin;
import dev.remat.codegen.cuda.sass.Encoding;
import dev.remat.codegen.cuda.sass.Instruction;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.tests.samples.SampleModels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the machine code of a GPT-2 step in bf16 may have: no memory of a thread's own, stores of 16 bytes, and of what
 * costs time no more than it has, so that a change which takes more is seen where no GPU is.
 */
@Tag("slow")
class HotKernelsTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_90A;

    /**
     * Bounds of a kind of kernels.
     *
     * @param symbol how their symbols begin
     * @param branches at most, those of the slow paths of divisions among them
     * @param calls at most, of such paths
     * @param products of fragments at least, for each time that fragments are loaded; 0 where there are none
     * @param narrow packs of 16 bytes that are stored as four words
     */
    private record Budget(String symbol, int branches, int calls, double products, int narrow) {}

    /** The first that fits holds. */
    private static final List<Budget> BUDGETS = List.of(
            new Budget("gemm_warpgroup", 10, 0, 0, 0),
            new Budget("attention_tensor_dq", 12, 0, 2.4, 0),
            new Budget("attention_tensor_dkdv", 22, 0, 2.6, 0),
            new Budget("attention_tensor", 45, 4, 3.2, 0),
            new Budget("cross_entropy_gradient", 3, 0, 0, 0),
            new Budget("cross_entropy_bf16", 23, 0, 0, 0),
            new Budget("normalization_rows", 51, 10, 0, 0),
            new Budget("layer_gradient_merge", 10, 0, 0, 0),
            new Budget("layer_gradient", 57, 4, 0, 0),
            new Budget("elementwise_cast", 4, 0, 0, 0),
            new Budget("tensors", 42, 0, 0, 0),
            new Budget("sort", 34, 0, 0, 0),
            new Budget("elementwise", 34, 6, 0, 0),
            new Budget("optimizer_adam", 46, 11, 0, 0),
            new Budget("split_k", 6, 0, 0, 0),
            new Budget("reduce", 11, 0, 0, 0),
            new Budget("embedding", 9, 0, 0, 0));

    @Test
    void costNoMoreThanTheyDo() {
        CudaTarget target = new CudaTarget(ARCHITECTURE);
        ExecutionPlan plan = new Compiler(target, new RooflineCost(target.device()))
                .compile(
                        SampleModels.of("gpt")
                                .sized("B=8,T=1024,depth=12,width=768,heads=12,vocab=50304")
                                .withPrecision(DType.BF16),
                        CompileOptions.defaults().withStrategy("keep-all"))
                .plan();
        KernelProgram program = CudaCodegen.generate(plan, ARCHITECTURE, new CodegenOptions(true, false));
        Map<Architecture, KernelProgram> programs = new LinkedHashMap<>();
        programs.put(ARCHITECTURE, program);
        CompiledProgram compiled =
                new CompileKernels(message -> {}).run(programs).getFirst();
        Cubin cubin = Cubin.of(compiled.cubin());
        List<String> exceeded = new ArrayList<>();
        for (int i = 0; i < program.kernels().size(); i++) {
            String symbol = program.kernels().get(i).symbol();
            List<Instruction> code = cubin.kernel(symbol, Encoding.of(ARCHITECTURE.label()));
            if (compiled.usages().get(i).spills() || count(code, Opcode.LDL) + count(code, Opcode.STL) > 0) {
                exceeded.add(symbol + " has memory of its own");
            }
            // Scalars of an update are f64 and one element each.
            boolean isHot = !program.kernels().get(i).text().contains("double");
            BUDGETS.stream()
                    .filter(budget -> isHot && symbol.startsWith(budget.symbol))
                    .findFirst()
                    .ifPresent(budget -> exceeded.addAll(excess(symbol, code, budget)));
        }
        assertThat(exceeded).isEmpty();
        assertThat(BUDGETS)
                .allMatch(budget -> program.kernels().stream()
                        .anyMatch(kernel -> kernel.symbol().startsWith(budget.symbol)));
    }

    private static List<String> excess(String symbol, List<Instruction> code, Budget budget) {
        List<String> exceeded = new ArrayList<>();
        expectAtMost(symbol + " branches", count(code, Opcode.BRA), budget.branches, exceeded);
        expectAtMost(symbol + " calls", count(code, Opcode.CALL), budget.calls, exceeded);
        expectAtMost(symbol + " packs stored in words", packsInWords(code), budget.narrow, exceeded);
        double least = budget.products * count(code, Opcode.LDSM);
        if (budget.products > 0 && !(count(code, Opcode.HMMA) >= least && least > 0)) {
            exceeded.add(symbol + " has " + count(code, Opcode.HMMA) + " products, not " + least);
        }
        return exceeded;
    }

    private static void expectAtMost(String what, long count, long most, List<String> exceeded) {
        if (count > most) {
            exceeded.add(what + ": " + count + ", not " + most);
        }
    }

    private static long count(List<Instruction> code, Opcode opcode) {
        return code.stream()
                .filter(instruction -> instruction.opcode() == opcode)
                .count();
    }

    /** Four stores of four bytes each that lie side by side. */
    private static int packsInWords(List<Instruction> code) {
        List<Instruction> stores = code.stream()
                .filter(instruction -> instruction.opcode() == Opcode.STG && instruction.bytes() == 4)
                .toList();
        int packs = 0;
        for (Instruction first : stores) {
            long found = stores.stream()
                    .filter(other -> other.base() == first.base())
                    .mapToLong(other -> other.address() - first.address())
                    .filter(apart -> apart == 4 || apart == 8 || apart == 12)
                    .distinct()
                    .count();
            packs += found == 3 && first.address() % 16 == 0 ? 1 : 0;
        }
        return packs;
    }

    private static Instruction store(int base, int bytes, long address) {
        return new Instruction(Opcode.STG, 1, bytes, false, Instruction.NOWHERE, (long) base << 24 | address << 40);
    }

    private static List<Instruction> stores(int base, int bytes, long... addresses) {
        return Arrays.stream(addresses)
                .mapToObj(address -> store(base, bytes, address))
                .toList();
    }

    @Test
    void packsInWordsAreCounted() {
        assertThat(packsInWords(stores(2, 4, 16, 28, 24, 20))).isEqualTo(1);
        assertThat(packsInWords(stores(2, 4, 0, 4, 8, 12, 16, 20, 24, 28))).isEqualTo(2);
        assertThat(packsInWords(stores(2, 4, 0, 4, 8, 16))).isZero();
        assertThat(packsInWords(stores(2, 16, 0, 4, 8, 12))).isZero();
        List<Instruction> apart = new ArrayList<>(stores(2, 4, 0, 4, 8));
        apart.addAll(stores(3, 4, 12));
        assertThat(packsInWords(apart)).isZero();
    }

    @Test
    void whatTakesMoreIsNamed() {
        List<Instruction> code = new ArrayList<>(stores(2, 4, 0, 4, 8, 12));
        Instruction load = new Instruction(Opcode.LDSM, 1, 16, false, Instruction.NOWHERE, 0);
        code.add(load);
        code.add(new Instruction(Opcode.HMMA, 1, 0, false, Instruction.NOWHERE, 0));
        code.add(new Instruction(Opcode.BRA, 1, 0, true, 0, 0));
        assertThat(excess("k", code, new Budget("k", 1, 0, 1, 1))).isEmpty();
        assertThat(excess("k", code, new Budget("k", 0, 0, 2, 0)))
                .containsExactly(
                        "k branches: 1, not 0", "k packs stored in words: 1, not 0", "k has 1 products, not 2.0");
    }
}
