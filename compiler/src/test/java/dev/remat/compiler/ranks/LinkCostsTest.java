package dev.remat.compiler.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.Link;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LinkCostsTest {
    private record Flat(boolean isTime) implements CostModel {
        @Override
        public String name() {
            return "flat";
        }

        @Override
        public long cost(KernelWork work) {
            return 7;
        }
    }

    private static KernelWork work(Op op) {
        TensorType share = TensorType.of(DType.F32, 1024);
        KernelStepBuilder step = new KernelStepBuilder("all", Role.FORWARD, Location.NONE);
        step.add(op, op.infer(List.of(share)), List.of(step.read(MemoryRead.dense(0, 0, share))));
        return KernelWork.of(step.body());
    }

    /** 4,096 bytes to each of three others at a byte a nanosecond, behind three messages of 5 ns. */
    @Test
    void aGatherTakesWhatTheLinkTakes() {
        Optional<Link> link = Optional.of(new Link(1_000_000_000, 5));
        CostModel costs = LinkCosts.over(new Flat(true), link);
        assertThat(costs.cost(work(new GatherShares(4)))).isEqualTo(3 * 4096 + 15);
        assertThat(costs.cost(work(new ScatterShares(4))))
                .as("is not made again")
                .isEqualTo(7);
        assertThat(LinkCosts.over(new Flat(false), link).cost(work(new GatherShares(4))))
                .isEqualTo(7);
        assertThat(LinkCosts.over(new Flat(true), Optional.empty()).cost(work(new GatherShares(4))))
                .isEqualTo(7);
    }
}
