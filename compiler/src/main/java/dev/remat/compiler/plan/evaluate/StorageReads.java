package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.stream.IntStream;

/** At which nodes of the given order each storage is read, through whichever view. */
public final class StorageReads {
    private final RematProblem problem;
    private final int[] firstRead;
    private final int[] reads;
    /** Values in order of their storage, so that those of one storage stand together. */
    private final int[] firstValue;

    private final int[] values;

    private StorageReads(RematProblem problem) {
        this.problem = problem;
        int count = problem.valueCount();
        firstValue = new int[count + 1];
        firstRead = new int[count + 1];
        for (int v = 0; v < count; v++) {
            firstValue[problem.storage(v) + 1]++;
            firstRead[problem.storage(v) + 1] += problem.readerCount(v);
        }
        for (int v = 0; v < count; v++) {
            firstValue[v + 1] += firstValue[v];
            firstRead[v + 1] += firstRead[v];
        }
        values = new int[count];
        reads = new int[firstRead[count]];
        int[] nextValue = firstValue.clone();
        int[] nextRead = firstRead.clone();
        for (int v = 0; v < count; v++) {
            int storage = problem.storage(v);
            values[nextValue[storage]++] = v;
            for (int k = 0; k < problem.readerCount(v); k++) {
                reads[nextRead[storage]++] = problem.reader(v, k);
            }
        }
        for (int s = 0; s < count; s++) {
            Arrays.sort(reads, firstRead[s], firstRead[s + 1]);
        }
    }

    public static StorageReads of(RematProblem problem) {
        return new StorageReads(problem);
    }

    /** The values that lie in the storage. */
    public IntStream values(int storage) {
        return Arrays.stream(values, firstValue[storage], firstValue[storage + 1]);
    }

    /** Number of values that lie in the storage. */
    public int valueCount(int storage) {
        return firstValue[storage + 1] - firstValue[storage];
    }

    /** The {@code position}-th value that lies in the storage, what is viewed before its views. */
    public int value(int storage, int position) {
        return values[firstValue[storage] + position];
    }

    /** The first node after {@code node} that reads the storage; the largest int if there is none. */
    public int next(int storage, int node) {
        int low = firstRead[storage];
        int high = firstRead[storage + 1];
        while (low < high) {
            int middle = (low + high) / 2;
            if (reads[middle] <= node) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean found = low < firstRead[storage + 1];
        return found ? reads[low] : isOutput(storage) ? problem.nodeCount() : Integer.MAX_VALUE;
    }

    private boolean isOutput(int storage) {
        return values(storage).anyMatch(problem::output);
    }
}
