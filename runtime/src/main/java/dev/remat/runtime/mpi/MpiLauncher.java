package dev.remat.runtime.mpi;

import dev.remat.runtime.launch.Started;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What has started several processes that MPI joins, as the environment of each tells.
 *
 * @param library that joins them
 * @param started who this process is
 * @param apart whether some of them share no memory, as far as variables tell
 */
public record MpiLauncher(MpiLibrary.Kind library, Started started, boolean apart) {
    /** Variables of one launcher: the number of a process, and how many there are. */
    private record Variables(MpiLibrary.Kind library, String rank, String ranks) {
        Optional<MpiLauncher> find(Function<String, String> environment) {
            return Started.read(environment, rank, ranks)
                    .map(started -> new MpiLauncher(library, started, areApart(environment, started.ranks())));
        }

        private static boolean areApart(Function<String, String> environment, int ranks) {
            String here = environment.apply("MPI_LOCALNRANKS");
            String nodes = environment.apply("SLURM_STEP_NUM_NODES");
            String without = environment.apply("MPIR_CVAR_NOLOCAL");
            return (here != null && !here.equals(String.valueOf(ranks)))
                    || (nodes != null && !nodes.equals("1"))
                    || (without != null && SET.contains(without.toLowerCase(Locale.ROOT)));
        }
    }

    /** How MPICH spells what is switched on. */
    private static final Set<String> SET = Set.of("1", "t", "true", "on", "yes");

    private static final List<Variables> KNOWN = List.of(
            new Variables(MpiLibrary.Kind.OPEN_MPI, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            new Variables(MpiLibrary.Kind.OPEN_MPI, "PMIX_RANK", "SLURM_STEP_NUM_TASKS"),
            new Variables(MpiLibrary.Kind.MPICH, "PMI_RANK", "PMI_SIZE"));

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
            if (!other.started.agreesWith(found.getFirst().started)) {
                throw new IllegalArgumentException(found.getFirst().started.contradicts(other.started));
            }
        }
        return found.stream().findFirst().filter(launcher -> launcher.started.ranks() > 1);
    }
}
