package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that stops and goes on is the run that never stopped, also under another plan. */
class ResumeTest {
    @Test
    void fiftyAndFiftyStepsAreAHundred(@TempDir Path folder) throws IOException {
        String settings = "B=2,T=8,vocab=30,width=16,depth=2,heads=2,context=8";
        Compilation kept = TrialRun.compile(TrialRun.sample("gpt"), settings, "keep-all");
        Compilation recomputed = TrialRun.compile(TrialRun.sample("gpt"), settings, "sqrt");
        String whole = TrialRun.train(kept, 100, 2, false).stateHash();
        Path checkpoint = folder.resolve("checkpoint");
        assertThat(run(kept.plan(), 50, checkpoint, false)).isNotEqualTo(whole);
        assertThat(run(recomputed.plan(), 50, checkpoint, true)).isEqualTo(whole);
    }

    private static String run(ExecutionPlan plan, int steps, Path checkpoint, boolean resumes) throws IOException {
        try (CpuExecutable executable = new CpuExecutable(plan);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            if (resumes) {
                try (Checkpoint saved = Checkpoint.open(checkpoint)) {
                    trainer.resume(checkpoint, saved);
                }
            }
            for (int i = 0; i < steps; i++) {
                trainer.step();
            }
            RunFacts facts = RunFacts.none().with(Part.SEED, String.valueOf(plan.seed()));
            try (RunFolder folder = RunFolder.open(checkpoint, Existing.CONTINUE, "test")) {
                trainer.save(folder, facts);
            }
            return trainer.state().hash();
        }
    }
}
