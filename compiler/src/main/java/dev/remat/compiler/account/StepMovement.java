package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.solve.Movement;
import dev.remat.ir.execution.PlaceSize;
import java.util.List;
import java.util.Optional;

/**
 * What a step moves out of its arena and back.
 *
 * @param step all rounds of all sections
 * @param nanos how long the step takes
 * @param places with the bytes that the plan takes of each
 */
public record StepMovement(Movement step, long nanos, List<PlaceSize> places, List<OffloadedTensor> tensors) {
    public StepMovement {
        places = List.copyOf(places);
        tensors = List.copyOf(tensors);
    }

    /** Empty where nothing lies below the arena. */
    static Optional<StepMovement> of(Compilation compilation, List<OffloadedTensor> tensors) {
        if (compilation.planning().problem().tiers().isEmpty()) {
            return Optional.empty();
        }
        Optional<Movement> step = Optional.empty();
        for (PlacedSection section : compilation.sections()) {
            if (!section.planning().problem().tiers().isEmpty()) {
                Movement rounds = Movement.of(section.planning().problem(), section.sequence())
                        .times(section.rounds());
                step = Optional.of(step.map(others -> others.and(rounds)).orElse(rounds));
            }
        }
        return step.map(moved -> new StepMovement(
                moved, compilation.cost(), compilation.plan().transfers().places(), tensors));
    }

    /** How often a tensor comes back. */
    public int ways() {
        return tensors.stream().mapToInt(OffloadedTensor::times).sum();
    }

    /** Bytes that the plan takes of a place; 0 where there is none of that name. */
    public long placeBytes(String name) {
        return places.stream()
                .filter(place -> place.name().equals(name))
                .mapToLong(PlaceSize::bytes)
                .sum();
    }
}
