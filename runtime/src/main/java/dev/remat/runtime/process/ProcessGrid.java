package dev.remat.runtime.process;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which stage of which rank each process is. Those of a stage are numbered one behind the other: they exchange most,
 * and what starts processes on several machines fills these one by one.
 *
 * @param stages 1 where a step is not cut
 * @param ranks each with all stages
 */
public record ProcessGrid(int stages, int ranks) {
    /** @throws IllegalArgumentException if there is none of either */
    public ProcessGrid {
        if (stages < 1 || ranks < 1) {
            throw new IllegalArgumentException(stages + " stages on " + ranks + " ranks");
        }
    }

    /** How many processes there are. */
    public int processes() {
        return stages * ranks;
    }

    /** The stage that a process is. */
    public int stage(int process) {
        return process / ranks;
    }

    /** The rank that a process is a stage of. */
    public int rank(int process) {
        return process % ranks;
    }

    /** The process of a stage and a rank. */
    public int process(int stage, int rank) {
        return stage * ranks + rank;
    }

    /** All stages of a rank, by stage. */
    IntStream ofRank(int rank) {
        return IntStream.range(0, stages).map(stage -> process(stage, rank));
    }

    /** A process, to people. */
    public String name(int process) {
        if (stages == 1) {
            return "rank " + process;
        }
        return "stage " + stage(process) + (ranks == 1 ? "" : " of rank " + rank(process));
    }

    /** Several. */
    String names(List<Integer> processes) {
        if (stages > 1 || processes.size() == 1) {
            return processes.stream().map(this::name).collect(Collectors.joining(", "));
        }
        return "ranks " + processes.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
