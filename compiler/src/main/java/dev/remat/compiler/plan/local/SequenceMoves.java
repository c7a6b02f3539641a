package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Changes a {@link SequenceDraft} by chance, from one valid sequence to another: drops a recomputation, computes
 * something again right before a step that reads it, with a chain of what that reads, or moves a run to another slot.
 * Recomputations that nothing reads any more go along.
 */
final class SequenceMoves {
    /** What moves change most often. */
    enum Focus {
        /** Which recomputations there are: orders of first computations hardly matter, or are good as they are. */
        RECOMPUTATIONS,
        /** Where steps stand, first computations as well as repeats, each between what it needs and what needs it. */
        PLACES
    }

    private static final int MOST_IN_CHAIN = 64;
    /** Where places are changed most often, chains have up to 1, 2, 4, … nodes, as often each. */
    private static final int CHAIN_LENGTHS = 7;

    /** Mean number of runs of a node beyond which nothing is added. */
    private static final int MOST_RUNS = 6;

    private static final int MOST_TRIES = 16;
    private static final double[] CHAIN_CHANCES = {0, 0.5, 0.9, 1};

    private final RematProblem problem;
    private final SequenceDraft draft;
    private final StepLine line;
    private final StepRules rules;
    private final SplittableRandom random;
    private final Focus focus;
    private final IntList readers = new IntList();
    private final IntList recomputables = new IntList();
    private final IntList movables = new IntList();
    private final int mostSteps;
    private double allowed;
    private final IntList pending = new IntList();
    private final IntList chain = new IntList();
    private final PriorityQueue<Integer> queue = new PriorityQueue<>(Comparator.reverseOrder());

    SequenceMoves(RematProblem problem, SequenceDraft draft, SplittableRandom random, Focus focus) {
        this.problem = problem;
        this.draft = draft;
        this.random = random;
        this.focus = focus;
        line = draft.line();
        rules = draft.rules();
        mostSteps = MOST_RUNS * problem.nodeCount();
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (rules.movable(n)) {
                movables.add(n);
            }
            if (rules.recomputable(n)) {
                recomputables.add(n);
            }
            if (!problem.residentNode(n) && readsRecomputable(n)) {
                readers.add(n);
            }
        }
    }

    private boolean readsRecomputable(int node) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            if (rules.recomputable(problem.producer(problem.input(node, k)))) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is anything to change. */
    boolean possible() {
        return recomputables.size() > 0 && readers.size() > 0;
    }

    /**
     * Begins one move. Where it turns out to be impossible, the draft may have changed, and must be taken back.
     *
     * @param mostAdded cost that a move may add and still be accepted
     * @param peak a slot that needs more than the budget, or {@link StepLine#NONE}
     * @return whether it was made
     */
    boolean make(double mostAdded, int peak) {
        allowed = mostAdded;
        if (focus == Focus.PLACES) {
            int kind = random.nextInt(20);
            return kind < 3 ? drop() : kind < 8 ? recompute(peak) : moveWithin();
        }
        int kind = random.nextInt(10);
        if (kind < 3) {
            return drop();
        }
        if (kind < 7) {
            return recompute(peak);
        }
        return move();
    }

    boolean drop() {
        int node = recomputables.get(random.nextInt(recomputables.size()));
        for (int tries = 0; tries < 8 && line.runs(node) < 2; tries++) {
            node = recomputables.get(random.nextInt(recomputables.size()));
        }
        return line.runs(node) > 1 && dropRun(line.run(node, random.nextInt(line.runs(node))));
    }

    private boolean dropRun(int slot) {
        int node = line.node(slot);
        if (slot == line.first(node) && !rules.servesAllFrom(node, line.run(node, 1))) {
            return false;
        }
        draft.remove(slot);
        dropUnreadInputs(node, slot);
        return true;
    }

    /** Takes out recomputations that only the run of {@code node} that stood at {@code slot} had read. */
    private void dropUnreadInputs(int node, int slot) {
        pending.clear();
        collectInputs(node, slot);
        dropUnread();
    }

    private void dropUnread() {
        while (pending.size() > 0) {
            int at = pending.removeLast();
            if (!line.empty(at)) {
                dropIfUnread(at);
            }
        }
    }

    private void collectInputs(int node, int slot) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int producer = problem.producer(problem.input(node, k));
            int made = rules.recomputable(producer) ? line.before(producer, slot) : StepLine.NONE;
            if (made >= 0) {
                pending.add(made);
            }
        }
    }

    private void dropIfUnread(int slot) {
        int node = line.node(slot);
        boolean droppable = line.runs(node) > 1
                && rules.recomputable(node)
                && !draft.storage().isRead(slot)
                && (slot != line.first(node) || rules.servesAllFrom(node, line.run(node, 1)));
        if (droppable) {
            draft.remove(slot);
            collectInputs(node, slot);
        }
    }

    boolean recompute(int peak) {
        int tries = peak >= 0 && random.nextInt(4) > 0 ? MOST_TRIES : 0;
        int reader;
        int run;
        int value;
        do {
            reader = readers.get(random.nextInt(readers.size()));
            if (line.runs(reader) == 0) {
                return false;
            }
            run = random.nextInt(line.runs(reader));
            value = problem.input(reader, random.nextInt(problem.inputCount(reader)));
        } while (tries-- > 0 && !spans(value, line.run(reader, run), peak));
        double chance = CHAIN_CHANCES[random.nextInt(CHAIN_CHANCES.length)];
        return recompute(problem.producer(value), reader, run, chance);
    }

    private boolean spans(int value, int step, int peak) {
        int producer = problem.producer(value);
        return rules.recomputable(producer) && step > peak && line.before(producer, step) < peak;
    }

    /**
     * Runs a node once more right before a run of one that reads it, after what it reads if that is gone, by chance.
     */
    private boolean recompute(int node, int reader, int run, double chance) {
        int step = line.run(reader, run);
        if (line.steps() > mostSteps || !rules.recomputable(node) || line.before(node, step) == line.stepBefore(step)) {
            return false;
        }
        collectChain(node, step, chance);
        double added = 0;
        for (int i = 0; i < chain.size(); i++) {
            added += replaces(chain.get(i), step) ? 0 : problem.cost(chain.get(i));
        }
        if (added > allowed) {
            return false;
        }
        boolean cleared = focus == Focus.PLACES && draft.clear(step, chain.size());
        for (int i = chain.size() - 1; i >= 0; i--) {
            int slot = cleared ? step - 1 - i : draft.roomBefore(line.run(reader, run));
            if (slot < 0 || !rules.mayRun(chain.get(i), slot)) {
                return false;
            }
            draft.insert(chain.get(i), slot);
        }
        for (int i = 0; i < chain.size(); i++) {
            int made = line.before(chain.get(i), line.run(reader, run));
            int earlier = line.before(chain.get(i), made);
            if (earlier >= 0) {
                pending.clear();
                pending.add(earlier);
                dropUnread();
            }
        }
        return true;
    }

    /** What is to run before {@code step}, latest first: the node, and of what that reads something that is gone. */
    private void collectChain(int node, int step, double chance) {
        chain.clear();
        int most = focus == Focus.PLACES ? 1 << random.nextInt(CHAIN_LENGTHS) : MOST_IN_CHAIN;
        queue.add(node);
        while (!queue.isEmpty()) {
            int next = queue.remove();
            chain.add(next);
            while (!queue.isEmpty() && queue.peek() == next) {
                queue.remove();
            }
            for (int k = 0; k < problem.inputCount(next) && chain.size() + queue.size() < most; k++) {
                int v = problem.input(next, k);
                int producer = problem.producer(v);
                boolean may = !problem.resident(v) && rules.recomputable(producer);
                boolean viewed = may && isViewed(next, v);
                int made = may ? line.before(producer, step) : StepLine.NONE;
                boolean gone = made >= 0 && draft.storage().lastSlot(v, made) < step;
                if (viewed || gone && random.nextDouble() < chance) {
                    queue.add(producer);
                }
            }
        }
    }

    /** Whether what the node made last would not be read any more if it ran again right before {@code step}. */
    private boolean replaces(int node, int step) {
        int made = line.before(node, step);
        return made >= 0
                && !draft.storage().isReadBefore(made, step)
                && (made != line.first(node) || rules.servesAllFrom(node, step - 1));
    }

    private boolean isViewed(int node, int value) {
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (problem.viewOf(v) != ProblemValue.NONE && problem.viewOf(v) == value) {
                return true;
            }
        }
        return false;
    }

    /** Moves a run to another slot, near ones more often than far ones. */
    boolean move() {
        int node = movables.get(random.nextInt(movables.size()));
        if (line.runs(node) == 0) {
            return false;
        }
        int k = random.nextInt(line.runs(node));
        int from = line.run(node, k);
        int distance = (int) Math.exp(random.nextDouble() * Math.log(line.slots()));
        int to = random.nextBoolean() ? from + distance : from - distance;
        int low = k == 0 ? 0 : line.run(node, k - 1) + 1;
        int high = k + 1 < line.runs(node) ? line.run(node, k + 1) : line.slots();
        if (k == 0) {
            high = Math.min(high, rules.firstReader(node));
        }
        if (to < low || to >= high) {
            return false;
        }
        return line.empty(to) && place(node, from, to);
    }

    /**
     * Moves a run to another slot between what it reads and what reads it, or between the runs of the same node around
     * it: half of the time to any such slot, else to near ones more often than to far ones.
     */
    boolean moveWithin() {
        int node = movables.get(random.nextInt(movables.size()));
        if (line.runs(node) == 0) {
            return false;
        }
        int k = random.nextInt(line.runs(node));
        int from = line.run(node, k);
        int low = k == 0 ? rules.afterInputs(node) : line.run(node, k - 1) + 1;
        int high = k + 1 < line.runs(node) ? line.run(node, k + 1) : line.slots();
        if (k == 0) {
            high = Math.min(high, rules.firstReader(node));
        }
        int to;
        if (random.nextBoolean()) {
            to = low + random.nextInt(high - low);
        } else {
            boolean later = random.nextBoolean();
            int room = later ? high - 1 - from : from - low;
            int distance = (int) Math.exp(random.nextDouble() * Math.log(room + 1));
            to = later ? from + Math.min(distance, room) : from - Math.min(distance, room);
        }
        int direction = random.nextBoolean() ? 1 : -1;
        while (to >= low && to < high && !line.empty(to)) {
            to += direction;
        }
        return to >= low && to < high && place(node, from, to);
    }

    private boolean place(int node, int from, int to) {
        draft.remove(from);
        if (!rules.mayRun(node, to)) {
            return false;
        }
        draft.insert(node, to);
        return true;
    }
}
