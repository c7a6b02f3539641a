package dev.remat.tests.promises;

import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Data of a model that takes logarithms and looks rows up: ones and zeros, but for one element of the first step's last
 * micro-batch.
 *
 * @param x whose logarithm is taken there
 * @param id that is looked up there, of a table of five
 */
public record OneBadRow(float x, int id) implements BatchSource {
    public static final int MICRO_BATCHES = 4;
    public static final String MODEL = """
        remat 1
        model Logarithm {
          symbol B
          input x: f32[B, 3]
          input id: i32[B]
          y = log(x) * embedding(id, 5, 3) as table
          loss = mean(y)
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    @Override
    public void fill(long batch, InputSpec spec, MemorySegment target) {
        for (long at = 0; at < spec.elements(); at++) {
            boolean bad = batch == MICRO_BATCHES - 1 && at == 0;
            if (spec.name().equals("x")) {
                target.setAtIndex(ValueLayout.JAVA_FLOAT, at, bad ? x : 1);
            } else {
                target.setAtIndex(ValueLayout.JAVA_INT, at, bad ? id : 0);
            }
        }
    }

    @Override
    public long batchesPerEpoch() {
        return MICRO_BATCHES;
    }
}
