package dev.remat.compiler.plan;

import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What trials have found for one search, so that none is made twice. */
public final class Answers {
    private record Question(RematProblem problem, Record asked) {}

    private final Map<Question, List<Proposal>> known = new ConcurrentHashMap<>();

    /**
     * What was found when the same was asked of the problem before, else what {@code trial} finds; that is kept unless
     * time is up meanwhile.
     *
     * @param asked all that the answer depends on beside the problem, but for time
     * @param listener of the trial
     */
    public List<Proposal> of(
            RematProblem problem, Record asked, SearchListener listener, Supplier<List<Proposal>> trial) {
        Question question = new Question(problem, asked);
        List<Proposal> before = known.get(question);
        if (before != null) {
            return before;
        }
        List<Proposal> found = trial.get();
        if (!listener.expired()) {
            known.put(question, found);
        }
        return found;
    }
}
