package dev.remat.cli.device;

import dev.remat.cli.option.PlanOptions;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.recipe.FollowRecipe;
import dev.remat.compiler.recipe.PlanRecipe;
import dev.remat.compiler.recipe.RecipeFiles;
import dev.remat.compiler.recipe.StaleRecipeException;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.artifact.CorruptArtifactException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.json.CorruptJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An artifact's plan with all that was known when it was made: planned again as its recipe says, and the same to the
 * byte.
 *
 * @param recipe that it was planned by
 */
public record PlannedArtifact(Compilation compilation, PlanRecipe recipe) {
    /** The model's files, its own first, named as locations name them. */
    public List<Source> sources() {
        return recipe.sources();
    }

    /** A plan that evaluates the model in the arena of its training, as it is made for a model file. */
    public ExecutionPlan compileEvaluation() {
        return PlanOptions.compileWithin(compilation, recipe.model().evaluationBeside(compilation.model()));
    }

    /**
     * @throws CorruptArtifactException if it is damaged, or of a version of remat that kept no recipe or planned
     *     otherwise
     */
    public static PlannedArtifact read(Path folder) throws IOException {
        return of(ArtifactReader.read(folder));
    }

    /** The same of an artifact that has been read. */
    public static PlannedArtifact of(Artifact artifact) throws IOException {
        PlanRecipe recipe = recipe(artifact);
        List<Architecture> architectures = artifact.manifest().architectures().stream()
                .map(label -> Architecture.ofLabel(label).orElseThrow(() -> stale(artifact)))
                .toList();
        Compilation compilation;
        try {
            compilation = FollowRecipe.run(recipe, new CudaTarget(architectures));
        } catch (StaleRecipeException _) {
            throw stale(artifact);
        }
        if (!ExecutionPlanJson.hash(compilation.plan())
                .equals(artifact.manifest().planHash())) {
            throw stale(artifact);
        }
        return new PlannedArtifact(compilation, recipe);
    }

    /** The same where it can be had: whatever else an artifact is good for does not need it. */
    public static Optional<PlannedArtifact> find(Artifact artifact) throws IOException {
        try {
            return Optional.of(of(artifact));
        } catch (CorruptArtifactException _) {
            return Optional.empty();
        }
    }

    private static PlanRecipe recipe(Artifact artifact) throws IOException {
        if (!has(artifact, RecipeFiles.RECIPE)) {
            throw new CorruptArtifactException(
                    artifact.folder(),
                    "lacks " + RecipeFiles.RECIPE + ", which says how it was planned, as earlier versions built it;"
                            + " build it again with 'remat build'");
        }
        try {
            return RecipeFiles.read(
                    name -> text(artifact, name), artifact.manifest().build().settings());
        } catch (CorruptJsonException e) {
            throw new CorruptArtifactException(artifact.folder().resolve(RecipeFiles.RECIPE), e.getMessage());
        }
    }

    private static boolean has(Artifact artifact, String name) {
        return artifact.manifest().files().stream().map(ArtifactFile::name).anyMatch(name::equals);
    }

    private static String text(Artifact artifact, String name) throws IOException {
        if (!has(artifact, name)) {
            throw new CorruptJsonException("the artifact has no " + name);
        }
        return SourceFiles.decode(Files.readAllBytes(artifact.folder().resolve(name)))
                .orElseThrow(() -> new CorruptJsonException(name + " is not UTF-8 text"));
    }

    private static CorruptArtifactException stale(Artifact artifact) {
        return new CorruptArtifactException(
                artifact.folder(),
                "was built by remat " + artifact.manifest().build().remat()
                        + ", which planned otherwise than this one; build it again with 'remat build'");
    }
}
