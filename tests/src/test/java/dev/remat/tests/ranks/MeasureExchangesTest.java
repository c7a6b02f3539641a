package dev.remat.tests.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.target.Link;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.profile.MeasureExchanges;
import dev.remat.runtime.profile.MeasureExchanges.Pair;
import dev.remat.runtime.profile.MeasureExchanges.Size;
import dev.remat.runtime.profile.MeasureExchanges.Times;
import dev.remat.runtime.ranks.Transport;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MeasureExchangesTest {
    @Test
    void allRanksFindOneLink() throws Exception {
        CpuExecutable.Options options = new CpuExecutable.Options(1, false, Lanes.Options.NONE, Transport.NONE);
        List<Object> ends = Processes.run(3, group -> MeasureExchanges.run(group, options, _ -> {}));
        assertThat(ends).hasOnlyElementsOfType(Times.class).hasSize(3);
        Times times = (Times) ends.getFirst();
        assertThat(ends.stream().distinct()).as("times of the slowest rank").hasSize(1);
        assertThat(times.sizes())
                .extracting(Size::bytes)
                .isSorted()
                .startsWith(8L)
                .allMatch(bytes -> 3 * bytes <= 1 << 27);
        assertThat(times.points().getFirst().bytes()).as("to two others").isEqualTo(16);
        assertThat(times.pairs()).extracting(Pair::first).containsExactly(0, 0, 1);
        assertThat(times.pairs()).extracting(Pair::second).containsExactly(1, 2, 2);
        Link link = times.link();
        assertThat(link.nanos(3, 8)).isLessThan(link.nanos(3, 1 << 24));
    }
}
