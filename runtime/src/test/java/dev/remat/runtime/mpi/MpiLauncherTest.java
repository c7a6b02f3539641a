package dev.remat.runtime.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MpiLauncherTest {
    private static Optional<MpiLauncher> find(String... variables) {
        Map<String, String> environment = new HashMap<>();
        for (String variable : variables) {
            environment.put(variable.split("=", 2)[0], variable.split("=", 2)[1]);
        }
        return MpiLauncher.find(environment::get);
    }

    @Test
    void mpichTellsByPmi() {
        MpiLauncher found = find("PMI_RANK=2", "PMI_SIZE=8").orElseThrow();
        assertThat(found.library()).isEqualTo(MpiLibrary.Kind.MPICH);
        assertThat(found.started().rank()).isEqualTo(2);
        assertThat(found.started().ranks()).isEqualTo(8);
    }

    @Test
    void openMpiTellsByItsOwn() {
        MpiLauncher found =
                find("OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2").orElseThrow();
        assertThat(found.library()).isEqualTo(MpiLibrary.Kind.OPEN_MPI);
        assertThat(found.started().ranks()).isEqualTo(2);
    }

    @Test
    void slurmTellsByPmixInAStepAlone() {
        assertThat(find("PMIX_RANK=1", "SLURM_STEP_NUM_TASKS=3")).isPresent();
        assertThat(find("SLURM_PROCID=0", "SLURM_NTASKS=16"))
                .as("a batch script has these, too, and is one process")
                .isEmpty();
    }

    @Test
    void tellsWhetherAllShareAMachine() {
        assertThat(find("PMI_RANK=2", "PMI_SIZE=8", "MPI_LOCALNRANKS=4")
                        .orElseThrow()
                        .apart())
                .isTrue();
        assertThat(find("PMI_RANK=0", "PMI_SIZE=2", "SLURM_STEP_NUM_NODES=2")
                        .orElseThrow()
                        .apart())
                .isTrue();
        assertThat(find("PMI_RANK=0", "PMI_SIZE=2", "MPI_LOCALNRANKS=2", "MPIR_CVAR_NOLOCAL=1")
                        .orElseThrow()
                        .apart())
                .isTrue();
        assertThat(find("PMI_RANK=2", "PMI_SIZE=8").orElseThrow().apart()).isFalse();
        assertThat(find(
                                "PMI_RANK=2",
                                "PMI_SIZE=8",
                                "MPI_LOCALNRANKS=8",
                                "SLURM_STEP_NUM_NODES=1",
                                "MPIR_CVAR_NOLOCAL=0")
                        .orElseThrow()
                        .apart())
                .isFalse();
    }

    @Test
    void oneProcessIsAlone() {
        assertThat(find()).isEmpty();
        assertThat(find("PMI_RANK=0", "PMI_SIZE=1")).isEmpty();
    }

    @Test
    void contradictionsNameTheVariables() {
        assertThatThrownBy(() -> find("PMI_RANK=1", "PMI_SIZE=2", "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("PMI_RANK=1", "OMPI_COMM_WORLD_RANK=0");
        assertThatThrownBy(() -> find("PMI_RANK=2", "PMI_SIZE=2")).hasMessageContaining("PMI_RANK=2 and PMI_SIZE=2");
        assertThatThrownBy(() -> find("PMI_RANK=x", "PMI_SIZE=2")).hasMessageContaining("PMI_RANK is 'x'");
        assertThat(find("PMI_RANK=1", "PMI_SIZE=2", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2"))
                .isPresent();
    }
}
