package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.VisitPrograms.PartCosts;
import dev.remat.compiler.pipeline.VisitPrograms.Repeats;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * For how many units of work a message may be on its way, so that no stage waits until another takes what it sends. It
 * takes memory at both ends for as long, so that it is little longer than makes no difference where all parts of a
 * model take equally long, backward twice as long as forward: two units between neighbours, and more for what skips
 * stages, since a stage further on comes to a micro-batch later.
 */
final class MessageLead {
    private static final PartCosts WHOLE = new PartCosts(2, 4, 0, 0, 0);
    /** Units more, since no two parts take equally long. */
    private static final int SLACK = 1;

    private static final PartCosts SPLIT = new PartCosts(2, 2, 2, 0, 0);

    /** By stage: when each unit begins, the one before all visits and the one behind them included. */
    private final List<List<Long>> begins = new ArrayList<>();

    private final int scale;

    private MessageLead(int scale) {
        this.scale = scale;
    }

    /** @param scale how many times as long messages may be on their way, at least 1 */
    static MessageLead of(Schedule schedule, int stages, int microBatches, int scale) {
        MessageLead lead = new MessageLead(scale);
        PartCosts part = schedule.splitsBackward() ? SPLIT : WHOLE;
        List<StageProgram> programs = VisitPrograms.of(
                schedule,
                stages,
                microBatches,
                Collections.nCopies(stages * schedule.partsEach(), part),
                Repeats.NEVER);
        SetTimes times = SetTimeline.of(programs, new Link(Long.MAX_VALUE, 0));
        for (int stage = 0; stage < stages; stage++) {
            List<StageEvent> events = programs.get(stage).events();
            List<Long> own = new ArrayList<>(List.of(0L));
            for (int k = 0; k < events.size(); k++) {
                if (events.get(k) instanceof Run) {
                    own.add(times.stages().get(stage).begins().get(k));
                }
            }
            own.add(times.makespan());
            lead.begins.add(own);
        }
        return lead;
    }

    /**
     * At least 2; the message is taken so many units before it is needed, and has to be gone after as many.
     *
     * @param sent in which unit of stage {@code from} it is made
     * @param needed in which unit of stage {@code to} it is read
     */
    int of(int from, int sent, int to, int needed) {
        int ahead = 1;
        while (begin(to, needed - ahead) > begin(from, sent + ahead + 1)) {
            ahead++;
        }
        return (ahead + SLACK) * scale;
    }

    private long begin(int stage, int unit) {
        List<Long> own = begins.get(stage);
        return unit >= own.size() ? Long.MAX_VALUE : own.get(Math.max(0, unit));
    }
}
