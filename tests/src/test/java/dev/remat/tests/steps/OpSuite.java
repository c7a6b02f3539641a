package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Groups of {@link OpCase}s that together have every operation, and every family of kernels, in a dtype. */
public enum OpSuite {
    /** Every example of every operation, small. */
    EXAMPLES,
    /** Several tiles, long rows, and what is left over. */
    LARGER,
    /** Products, convolutions and attention as tensor cores take them. */
    ALIGNED,
    /** Images whose channels lie side by side. */
    CHANNELS,
    /** Sums over lists of tensors, and many rows for one place. */
    SUMS,
    /** Elementwise operations before, behind and beside others. */
    FUSED;

    private static final int CHAINS = 12;
    private static final int PROLOGUES = 8;
    private static final int EPILOGUES = 6;
    private static final int SEVERAL = 6;

    /** Operations that may run on tensor cores. */
    private static final List<Class<? extends Op>> PRODUCTS = List.of(
            MatMul.class,
            Conv2d.class,
            ConvTranspose2d.class,
            Conv2dWeightGradient.class,
            Attention.class,
            AttentionGradient.class);

    /** The suite that {@link #label} names. */
    public static Optional<OpSuite> ofLabel(String label) {
        return Arrays.stream(values())
                .filter(suite -> suite.label().equals(label))
                .findFirst();
    }

    /** Its name in names of files. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its cases; the same each time. */
    public List<OpCase> cases(DType dtype) {
        List<OpCase> cases = new ArrayList<>();
        switch (this) {
            case EXAMPLES -> cases.addAll(OpCases.examples(dtype));
            case LARGER -> {
                cases.addAll(OpCases.larger(dtype));
                cases.addAll(OpCases.normalizations(dtype));
            }
            case ALIGNED -> cases.addAll(OpCases.aligned(dtype));
            case CHANNELS -> {
                cases.addAll(ChannelCases.convolutions(dtype));
                cases.addAll(ChannelCases.pools(dtype));
            }
            case SUMS -> {
                cases.addAll(SumCases.lists(dtype));
                cases.addAll(SumCases.frequent(dtype));
            }
            case FUSED -> {
                cases.addAll(FusedCases.chains(dtype, CHAINS, 11));
                cases.addAll(FusedCases.prologues(dtype, PROLOGUES, 12));
                cases.addAll(FusedCases.epilogues(dtype, EPILOGUES, 13));
                cases.addAll(FusedCases.several(dtype, SEVERAL, 15));
            }
        }
        return cases;
    }

    /** Those of its cases that may run on tensor cores. */
    public List<OpCase> products(DType dtype) {
        return cases(dtype).stream()
                .filter(sample -> PRODUCTS.stream().anyMatch(sample::mentions))
                .toList();
    }
}
