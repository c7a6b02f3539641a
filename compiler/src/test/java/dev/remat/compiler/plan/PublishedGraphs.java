package dev.remat.compiler.plan;

import dev.remat.compiler.solve.ProblemReader;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Training graphs with measured costs, one node a layer, in {@code problems/}. */
public final class PublishedGraphs {
    private PublishedGraphs() {}

    public static RematProblem named(String name) throws IOException {
        Path file = Path.of("src/test/resources/problems/" + name + ".json");
        return ProblemReader.read(new Source(name, Files.readString(file, StandardCharsets.UTF_8)));
    }
}
