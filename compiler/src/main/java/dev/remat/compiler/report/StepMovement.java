package dev.remat.compiler.report;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.solve.Movement;
import dev.remat.ir.execution.PlaceSize;
import java.util.List;
import java.util.Optional;

/**
 * What a step moves out of its arena and back.
 *
 * @param round of a micro-batch, or of the whole step
 * @param rounds in a step
 * @param stepNanos how long the whole step takes, with what runs beside the rounds
 * @param places with the bytes that the plan takes of each
 */
public record StepMovement(
        Movement round, int rounds, long stepNanos, List<PlaceSize> places, List<OffloadedTensor> tensors) {
    public StepMovement {
        places = List.copyOf(places);
        tensors = List.copyOf(tensors);
    }

    /** Empty where nothing lies below the arena. */
    static Optional<StepMovement> of(Compilation compilation) {
        if (compilation.planning().problem().tiers().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new StepMovement(
                Movement.of(compilation.planning().problem(), compilation.sequence()),
                compilation.rounds(),
                compilation.cost(),
                compilation.plan().transfers().places(),
                OffloadedTensor.of(compilation)));
    }

    public long storeBytes() {
        return rounds * round.storeBytes();
    }

    public long fetchBytes() {
        return rounds * round.fetchBytes();
    }

    /** Time of a step in which no kernel runs. */
    public long exposedNanos() {
        return rounds * round.exposedNanos();
    }

    /** Bytes that the plan takes of a place; 0 where there is none of that name. */
    public long placeBytes(String name) {
        return places.stream()
                .filter(place -> place.name().equals(name))
                .mapToLong(PlaceSize::bytes)
                .sum();
    }
}
