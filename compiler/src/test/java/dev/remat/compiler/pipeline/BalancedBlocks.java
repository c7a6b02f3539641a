package dev.remat.compiler.pipeline;

import java.util.Arrays;

/**
 * Blocks of a sequence by the algorithm of Bárány and Grinberg (2015), which torchgpipe cuts models by: of numbers in
 * [0, 1], no block is larger than another by more than 1. From a largest block elements move towards the nearest
 * smallest one, block by block, until that holds.
 */
final class BalancedBlocks {
    private final double[] sequence;
    /** Where each block ends. */
    private final int[] ends;

    private BalancedBlocks(double[] sequence, int blocks) {
        this.sequence = sequence;
        this.ends = new int[blocks];
        for (int block = 0; block < blocks; block++) {
            ends[block] = (int) ((long) sequence.length * (block + 1) / blocks);
        }
    }

    /** Where each of as many blocks begins; there are at least as many costs as blocks. */
    static int[] run(long[] costs, int blocks) {
        double least = Arrays.stream(costs).min().orElseThrow();
        double width = Math.max(1, Arrays.stream(costs).max().orElseThrow() - least);
        BalancedBlocks balanced = new BalancedBlocks(
                Arrays.stream(costs).mapToDouble(cost -> (cost - least) / width).toArray(), blocks);
        balanced.balance();
        int[] begins = new int[blocks];
        System.arraycopy(balanced.ends, 0, begins, 1, blocks - 1);
        return begins;
    }

    private double size(int block) {
        return Arrays.stream(sequence, block == 0 ? 0 : ends[block - 1], ends[block])
                .sum();
    }

    private void balance() {
        int blocks = ends.length;
        while (true) {
            int largest = 0;
            for (int block = 1; block < blocks; block++) {
                largest = size(block) > size(largest) ? block : largest;
            }
            double most = size(largest);
            int moved = -1;
            while (moved != largest) {
                int smallest = smallest(largest);
                if (most <= size(smallest) + 1) {
                    return;
                }
                if (largest < smallest) {
                    moved = smallest - 1;
                    ends[moved]--;
                } else {
                    moved = smallest + 1;
                    ends[smallest]++;
                }
            }
        }
    }

    /** Of the smallest blocks that which is nearest to another. */
    private int smallest(int near) {
        int found = -1;
        for (int block = 0; block < ends.length; block++) {
            if (found < 0
                    || size(block) < size(found)
                    || size(block) == size(found) && Math.abs(block - near) < Math.abs(found - near)) {
                found = block;
            }
        }
        return found;
    }
}
