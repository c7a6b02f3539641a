package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lanes are busy for a share of all that a step takes, with what runs beside its micro-batches. */
class LaneSharesTest {
    @TempDir
    Path folder;

    @Test
    void lanesAreBusyForSharesOfTheWholeStep() throws IOException {
        List<String> words = new ArrayList<>(List.of("plan", TinyModels.text(folder), "--micro-batches", "4"));
        words.addAll(List.of("--set", "B=16,T=32,width=64,depth=4", "--strategy", "offload-activations"));
        words.addAll(List.of("--host-budget", "1GiB", "--host-rates", "20GB/s:20GB/s:1us"));
        String text = CommandRun.of(words.toArray(String[]::new)).out();
        Matcher fetching = Pattern.compile("fetching ([0-9.]+) %").matcher(text);
        assertThat(fetching.find()).as(text).isTrue();
        words.add("--json");
        Map<String, String> plan =
                JsonFields.of(CommandRun.of(words.toArray(String[]::new)).out());
        double busy = Double.parseDouble(plan.get("transfers.lanes.busyMillis"));
        double step = Double.parseDouble(plan.get("compute.estimatedMillis"));
        assertThat(Double.parseDouble(fetching.group(1))).isCloseTo(100 * busy / step, within(0.051));
    }
}
