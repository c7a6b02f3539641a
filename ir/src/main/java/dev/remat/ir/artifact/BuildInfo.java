package dev.remat.ir.artifact;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * How an artifact came to be; whoever builds again with the same gets the same bytes.
 *
 * @param remat version of remat
 * @param nvrtc which compiler made machine code of the kernels
 * @param strategy which planning strategy was taken
 * @param options what else was asked for, such as {@code allow-unverified}
 * @param settings symbols and hyper-parameters that were set, as they were written
 */
public record BuildInfo(
        String remat, String nvrtc, String strategy, List<String> options, SequencedMap<String, String> settings) {
    public BuildInfo {
        options = List.copyOf(options);
        settings = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(settings));
    }
}
