package dev.remat.runtime.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What has started several processes that MPI joins, as the environment of each tells.
 *
 * @param library that joins them
 * @param rank of this process
 * @param ranks how many there are
 * @param ranksHere how many of them run on this machine
 * @param told the variables that say so and what they say, for messages
 */
public record MpiLauncher(MpiLibrary.Kind library, int rank, int ranks, int ranksHere, String told) {
    /** Variables of one launcher: the number of a process, how many there are, and how many on its machine. */
    private record Variables(MpiLibrary.Kind library, String rank, String ranks, String ranksHere) {
        Optional<MpiLauncher> find(Function<String, String> environment) {
            String own = environment.apply(rank);
            String all = environment.apply(ranks);
            if (own == null || all == null) {
                return Optional.empty();
            }
            String here = environment.apply(ranksHere);
            MpiLauncher found = new MpiLauncher(
                    library,
                    number(rank, own),
                    number(ranks, all),
                    here == null ? 1 : number(ranksHere, here),
                    rank + "=" + own + " and " + ranks + "=" + all);
            if (found.rank >= found.ranks) {
                throw new IllegalArgumentException(found.told + " contradict each other");
            }
            return Optional.of(found);
        }

        private static int number(String name, String text) {
            try {
                return Integer.parseUnsignedInt(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(name + " is '" + text + "', which is no number of a process", e);
            }
        }
    }

    private static final List<Variables> KNOWN = List.of(
            new Variables(
                    MpiLibrary.Kind.OPEN_MPI,
                    "OMPI_COMM_WORLD_RANK",
                    "OMPI_COMM_WORLD_SIZE",
                    "OMPI_COMM_WORLD_LOCAL_SIZE"),
            new Variables(MpiLibrary.Kind.OPEN_MPI, "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS_PER_NODE"),
            new Variables(MpiLibrary.Kind.MPICH, "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"));

    /**
     * Of Open MPI's {@code mpirun}, of MPICH's, or of {@code srun --mpi}; empty where none of them, or one for this
     * process alone, has started it.
     *
     * @param environment by name; null where a variable is not set
     * @throws IllegalArgumentException if variables contradict each other, or are no numbers
     */
    public static Optional<MpiLauncher> find(Function<String, String> environment) {
        List<MpiLauncher> found = new ArrayList<>();
        KNOWN.forEach(each -> each.find(environment).ifPresent(found::add));
        for (MpiLauncher other : found) {
            if (other.rank != found.getFirst().rank || other.ranks != found.getFirst().ranks) {
                throw new IllegalArgumentException(found.getFirst().told + " contradict " + other.told
                        + "; unset those of the launcher that has" + " not started this process");
            }
        }
        return found.stream().findFirst().filter(launcher -> launcher.ranks > 1);
    }
}
