package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.target.Architecture;
import java.util.List;
import java.util.stream.Collectors;

/** Generated kernels that NVRTC refused. Whatever the model, this is an error of the code generator. */
public final class KernelCompilationException extends RuntimeException {
    private final List<Problem> problems;
    private final String log;

    /**
     * One thing that was refused.
     *
     * @param symbol the kernel that it is part of; empty where that is unknown
     * @param location first model line of this kernel; may be empty
     * @param message as NVRTC states it, after the line of {@code kernels.cu} where it has one
     */
    public record Problem(String symbol, String location, String message) {
        @Override
        public String toString() {
            if (symbol.isEmpty()) {
                return message;
            }
            return "kernel " + symbol + (location.isEmpty() ? "" : " (" + location + ")") + ": " + message;
        }
    }

    KernelCompilationException(Architecture architecture, List<Problem> problems, String log) {
        super(problems.stream()
                .map(Problem::toString)
                .collect(Collectors.joining(
                        "\n  ", "kernels for " + architecture.label() + " do not compile:\n  ", "")));
        this.problems = List.copyOf(problems);
        this.log = log;
    }

    public List<Problem> problems() {
        return problems;
    }

    /** All that NVRTC said. */
    public String log() {
        return log;
    }
}
