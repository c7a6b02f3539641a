package dev.remat.ir.artifact;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * How an artifact came to be; whoever builds again with the same gets the same bytes.
 *
 * @param remat version of remat
 * @param nvrtc version of the compiler of the kernels, such as {@code 13.1}
 * @param strategy which planning strategy was taken
 * @param settings symbols and hyper-parameters that were set, as they were written
 */
public record BuildInfo(String remat, String nvrtc, String strategy, SequencedMap<String, String> settings) {
    public BuildInfo {
        settings = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(settings));
    }
}
