package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.util.Optional;

/** Writes a run's checkpoints when they are due, at the end, and when the run stops before. */
final class RunSaver {
    private final Optional<RunFolder> folder;
    private final RunFacts run;
    private final Trainer trainer;
    private final Console console;
    private final long begun;
    /** The step that the folder's checkpoint is of; before the first it may be another run's. */
    private long saved;

    private boolean failed;

    /** @param trainer at the step from which this process goes on */
    RunSaver(Optional<RunFolder> folder, RunFacts run, Trainer trainer, Console console) {
        this.folder = folder;
        this.run = run;
        this.trainer = trainer;
        this.console = console;
        this.begun = trainer.completedSteps();
        this.saved = begun;
        if (folder.isPresent() && !folder.get().isExclusive()) {
            console.note(folder.get().path() + " lies where files cannot be locked: take care that no other run saves"
                    + " there");
        }
    }

    /** Writes a checkpoint of the last step. */
    void save() throws IOException {
        if (folder.isPresent()) {
            failed = true;
            trainer.save(folder.get(), run);
            saved = trainer.completedSteps();
            failed = false;
        }
    }

    /** Saves what was done before a step failed, as far as that is possible, and says what was saved. */
    void stopped() {
        if (folder.isEmpty()) {
            return;
        }
        if (trainer.completedSteps() > saved && trainer.isIntact() && !failed) {
            try {
                save();
            } catch (IOException | NotANumberException | DeviceException e) {
                console.note(
                        "the state after step " + trainer.completedSteps() + " could not be saved: " + e.getMessage());
            }
        }
        report("stopped");
    }

    /** Says where the run ended and what was saved. */
    void report(String ended) {
        String outlook = folder.isEmpty() || saved == begun
                ? "nothing was saved"
                : "'train --resume " + folder.get().path() + "' goes on from "
                        + (saved == trainer.completedSteps() ? "there" : "step " + saved);
        console.note(ended + " after step " + trainer.completedSteps() + "; " + outlook);
    }
}
