package dev.remat.compiler.pipeline;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How much memory a part of a model has.
 *
 * @param bytes of a stage's memory, for each of its parts
 * @param held by part: how many micro-batches it has had forward and not backward, at most
 * @param sharers of what is kept beside parameters: the ranks that each have a share
 * @param parameterSharers the same of parameters
 */
public record StageRoom(long bytes, List<Integer> held, int sharers, int parameterSharers) {
    public StageRoom {
        held = List.copyOf(held);
    }

    /**
     * @param budget of each stage
     * @param microBatches of each rank
     */
    public static StageRoom of(Staging staging, long budget, int microBatches, int sharers, int parameterSharers) {
        List<Integer> most = new ArrayList<>(Collections.nCopies(staging.parts(), 0));
        List<Integer> now = new ArrayList<>(most);
        for (List<Visit> order : staging.schedule().orders(staging.stages(), microBatches)) {
            for (Visit visit : order) {
                int change = switch (visit.phase()) {
                    case FORWARD -> 1;
                    case BACKWARD -> -1;
                    case WEIGHTS -> 0;
                };
                now.set(visit.part(), now.get(visit.part()) + change);
                most.set(visit.part(), Math.max(most.get(visit.part()), now.get(visit.part())));
            }
        }
        return new StageRoom(budget / staging.schedule().partsEach(), most, sharers, parameterSharers);
    }

    int held(int part) {
        return held.get(part);
    }

    int sharers(boolean ofParameters) {
        return ofParameters ? parameterSharers : sharers;
    }
}
