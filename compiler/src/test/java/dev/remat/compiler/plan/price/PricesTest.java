package dev.remat.compiler.plan.price;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.RandomSequences;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.price.Price.Change;
import dev.remat.compiler.plan.price.Price.Obstacle;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PricesTest {
    private static final int PROBLEMS = 150;

    private static ProblemNode node(String id, Role role, long cost, long bytes, int... inputs) {
        return ProblemNode.of(id, role).withCost(cost).withInputs(inputs).withResult(ProblemValue.of(id, bytes));
    }

    /** data (1) → a (10) → b (20) → c (30) → end; the backward of c reads c and b, that of b reads a. */
    private static RematProblem chain(Pin pinOfB) {
        return RematProblem.of(
                "chain",
                List.of(
                        ProblemNode.resident("data", 1),
                        node("a", Role.FORWARD, 2, 10, 0),
                        node("b", Role.FORWARD, 3, 20, 1).withPin(pinOfB),
                        node("c", Role.FORWARD, 5, 30, 2),
                        node("end", Role.FORWARD, 1, 40, 3),
                        node("dc", Role.BACKWARD, 7, 1, 4, 3, 2),
                        node("da", Role.BACKWARD, 7, 1, 5, 1)),
                List.of());
    }

    private static OperatorSequence sequence(int... steps) {
        return new OperatorSequence("test", steps, List.of());
    }

    private static Prices prices(RematProblem problem, OperatorSequence sequence) {
        return Prices.of(problem, sequence, SequenceEvaluator.evaluate(problem, sequence));
    }

    @Test
    void aKeptValueIsMadeAgainWhereTheRestReadsIt() {
        Prices prices = prices(chain(Pin.NONE), sequence(1, 2, 3, 4, 5, 6));
        // At end: 1 + 10 + 20 + 30 + 40, and so at dc with a byte more; without b at end 81, at b again 101, at dc 102.
        assertThat(prices.of(2)).contains(new Price.Changed(Change.DROP, 3, 0, List.of(2), List.of()));
        // a is read last by da, where b and c are gone: without it, dc has 92 and end 91; a again runs after dc.
        assertThat(prices.of(1)).contains(new Price.Changed(Change.DROP, 2, -10, List.of(1), List.of()));
    }

    @Test
    void whatTheRunNeedsRunsAgainBeforeIt() {
        // a is not kept here: da reads the second run of it.
        // Nothing has more than dc, 1 + 20 + 30 + 40 + 1, until b is made again beside a, c and end: 101.
        Prices prices = prices(chain(Pin.NONE), sequence(1, 2, 3, 4, 5, 1, 6));
        assertThat(prices.of(2)).contains(new Price.Changed(Change.DROP, 5, 9, List.of(1, 2), List.of()));
    }

    /** A byte takes a nanosecond: a leaves behind b, and comes back behind dc for da, which waits for it. */
    private static final int[] MOVING = {
        1,
        2,
        new SequenceStep.Store(1, 0).code(),
        3,
        new SequenceStep.Await(1).code(),
        4,
        5,
        new SequenceStep.Fetch(1).code(),
        6
    };

    private static RematProblem onTier(RematProblem problem) {
        return RematProblem.of(
                problem.name(),
                IntStream.range(0, problem.nodeCount()).mapToObj(problem::node).toList(),
                problem.outputs(),
                List.of(new Tier("host", 1L << 40, 1_000_000_000, 1_000_000_000, 0)));
    }

    @Test
    void aMovedValueStaysOrIsMadeAgain() {
        // The step: a, b and c to 10, end behind the await from 15 to 16, dc to 23, the fetch to 33, da to 40.
        Prices prices = prices(onTier(chain(Pin.NONE)), sequence(MOVING));
        // Nothing waits then: 25. dc has a as well, 102 instead of 92.
        assertThat(prices.of(1)).contains(new Price.Changed(Change.KEEP, -15, 10, List.of(), List.of()));
        // a again right before da: 27.
        assertThat(prices.instead(1)).contains(new Price.Changed(Change.DROP, -13, 0, List.of(1), List.of()));
        // b again right before dc reads a, which so stays on the device until then: 101.
        assertThat(prices.of(2)).contains(new Price.Changed(Change.DROP, 3, 9, List.of(2), List.of()));
        assertThat(prices.instead(2)).isEmpty();
        assertThat(prices(onTier(chain(Pin.NONE)), sequence(1, 2, 3, 4, 5, 6)).instead(1))
                .isEmpty();
    }

    /** da reads b alone, which runs again from what was fetched of a: kept, it needs neither the run nor the fetch. */
    @Test
    void transfersOfWhatNothingReadsGo() {
        RematProblem problem = onTier(RematProblem.of(
                "fork",
                List.of(
                        ProblemNode.resident("data", 1),
                        node("a", Role.FORWARD, 2, 10, 0),
                        node("b", Role.FORWARD, 3, 20, 1),
                        node("end", Role.FORWARD, 1, 40, 2),
                        node("da", Role.BACKWARD, 7, 1, 3, 2)),
                List.of()));
        int store = new SequenceStep.Store(1, 0).code();
        int await = new SequenceStep.Await(1).code();
        int fetch = new SequenceStep.Fetch(1).code();
        Prices prices = prices(problem, sequence(1, 2, store, await, 3, fetch, 2, 4));
        // a and b to 5, the store to 15, end to 16, the fetch to 26, b again to 29, da to 36; without all that 13.
        // da has end, b and itself, 62; b again has a, too: 71.
        assertThat(prices.of(2)).contains(new Price.Changed(Change.KEEP, -23, -9, List.of(), List.of(2)));
    }

    /** What stays is the same sequence without its transfers. */
    @Test
    void keepingWhatIsMovedIsTheSequenceWithoutItsTransfers() {
        int priced = 0;
        List<RematProblem> problems =
                List.of(TrainingSteps.resnet(1, 1, 1, 1, 1), TrainingSteps.unet(1, 2, 8), TrainingSteps.chain(9, 100));
        for (RematProblem still : problems) {
            RematProblem problem = onTier(still);
            OperatorSequence moving = Strategies.named("offload-activations").plan(problem, PlannerOptions.none());
            Prices prices = prices(problem, moving);
            SequenceEvaluation chosen = SequenceEvaluator.evaluate(problem, moving);
            assertThat(chosen.violations()).isEmpty();
            for (int value = 0; value < problem.valueCount(); value++) {
                int each = value;
                int[] rest = moving.steps()
                        .filter(step -> !SequenceStep.of(step).equals(new SequenceStep.Store(each, 0))
                                && !SequenceStep.of(step).equals(new SequenceStep.Await(each))
                                && !SequenceStep.of(step).equals(new SequenceStep.Fetch(each)))
                        .toArray();
                if (rest.length < moving.length()) {
                    SequenceEvaluation kept = SequenceEvaluator.evaluate(problem, sequence(rest));
                    assertThat(kept.violations()).isEmpty();
                    assertThat(prices.of(value))
                            .contains(new Price.Changed(
                                    Change.KEEP,
                                    kept.cost() - chosen.cost(),
                                    kept.peakBytes() - chosen.peakBytes(),
                                    List.of(),
                                    List.of()));
                    priced++;
                }
            }
        }
        assertThat(priced).isGreaterThan(20);
    }

    @Test
    void aKeptValueNeedsNoFurtherRunsAndNothingThatServedThem() {
        // b again, and a for it alone.
        RematProblem problem = chain(Pin.NONE);
        Prices prices = prices(problem, sequence(1, 2, 3, 4, 1, 2, 5, 6));
        Optional<Price> price = prices.of(2);
        assertThat(price).hasValueSatisfying(each -> {
            Price.Changed changed = (Price.Changed) each;
            assertThat(changed.change()).isEqualTo(Change.KEEP);
            assertThat(changed.removed()).as("a is read by da, and so stays").containsExactly(2);
            assertThat(changed.cost()).isEqualTo(-3);
        });
        Prices further = prices(problem, sequence(1, 2, 3, 4, 1, 2, 5, 1, 6));
        assertThat(further.of(2)).hasValueSatisfying(each -> {
            Price.Changed changed = (Price.Changed) each;
            assertThat(changed.removed()).containsExactly(1, 2);
            assertThat(changed.cost()).isEqualTo(-5);
        });
    }

    @Test
    void aRunThatNothingReadsAnyMoreGoes() {
        // Only the backward reads b: made again there, its first run is in vain.
        RematProblem problem = RematProblem.of(
                "late",
                List.of(
                        ProblemNode.resident("data", 1),
                        node("a", Role.FORWARD, 2, 10, 0),
                        node("b", Role.FORWARD, 3, 20, 0),
                        node("big", Role.FORWARD, 1, 100, 1),
                        node("da", Role.BACKWARD, 7, 1, 3),
                        node("db", Role.BACKWARD, 7, 1, 4, 2)),
                List.of());
        assertThat(prices(problem, sequence(1, 2, 3, 4, 5)).of(2))
                .contains(new Price.Changed(Change.DROP, 0, -20, List.of(2), List.of(2)));
    }

    @Test
    void saysWhyThereIsNoChoice() {
        OperatorSequence sequence = sequence(1, 2, 3, 4, 5, 6);
        assertThat(prices(chain(Pin.RETAIN), sequence).of(2)).contains(new Price.Fixed(Change.DROP, Obstacle.PIN));
        assertThat(prices(chain(Pin.RECOMPUTE), sequence(1, 2, 3, 4, 2, 5, 6)).of(2))
                .contains(new Price.Fixed(Change.KEEP, Obstacle.PIN));
        assertThat(prices(chain(Pin.NONE), sequence).of(0)).as("resident").isEmpty();
        assertThat(prices(chain(Pin.NONE), sequence).of(4))
                .as("read once, right away")
                .isNotEmpty();
        assertThat(prices(chain(Pin.NONE), sequence).of(5))
                .as("made by the backward")
                .isEmpty();
    }

    private static OperatorSequence anySequence(RematProblem problem, int seed) {
        List<String> strategies = List.of("keep-all", "sqrt", "peak-priority", "recursive");
        OperatorSequence random = RandomSequences.of(problem, new Random(seed), seed % 14);
        return seed % 3 == 0 && SequenceEvaluator.evaluate(problem, random).valid()
                ? random
                : Strategies.named(strategies.get(seed % strategies.size())).plan(problem, PlannerOptions.none());
    }

    @Test
    void agreesWithAPlainAccountOnRandomSteps() {
        int priced = 0;
        int refused = 0;
        for (int seed = 0; seed < PROBLEMS; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 2 + seed % 9);
            OperatorSequence sequence = anySequence(problem, seed);
            Prices prices = prices(problem, sequence);
            PlainPrices plain = PlainPrices.of(problem, sequence);
            for (int v = 0; v < problem.valueCount(); v++) {
                Optional<PlainPrices.Difference> expected = plain.price(v);
                Optional<PlainPrices.Difference> found = difference(prices.of(v));
                assertThat(found).as("seed %d, %s", seed, problem.valueId(v)).isEqualTo(expected);
                priced += found.isPresent() ? 1 : 0;
                refused += prices.of(v).isPresent() && found.isEmpty() ? 1 : 0;
            }
        }
        assertThat(priced).isGreaterThan(400);
        assertThat(refused).isGreaterThan(20);
    }

    @Test
    void agreesWithAPlainAccountOnNetworks() {
        for (RematProblem problem : List.of(TrainingSteps.resnet(2, 1, 1, 1, 1), TrainingSteps.unet(1, 3, 32))) {
            for (String strategy : List.of("sqrt", "peak-priority")) {
                OperatorSequence sequence = Strategies.named(strategy).plan(problem, PlannerOptions.none());
                Prices prices = prices(problem, sequence);
                PlainPrices plain = PlainPrices.of(problem, sequence);
                for (int v = 0; v < problem.valueCount(); v++) {
                    assertThat(difference(prices.of(v)))
                            .as("%s, %s", strategy, problem.valueId(v))
                            .isEqualTo(plain.price(v));
                }
            }
        }
    }

    private static Optional<PlainPrices.Difference> difference(Optional<Price> price) {
        return price.filter(each -> each instanceof Price.Changed)
                .map(each -> (Price.Changed) each)
                .map(each -> new PlainPrices.Difference(each.cost(), each.peakBytes()));
    }

    @Test
    void findsTheCheapestReliefOfThePeak() {
        for (RematProblem problem : List.of(TrainingSteps.resnet(2, 1, 1, 2, 1), TrainingSteps.unet(1, 3, 32))) {
            for (String strategy : List.of("keep-all", "sqrt", "min-cut")) {
                OperatorSequence sequence = Strategies.named(strategy).plan(problem, PlannerOptions.none());
                SequenceEvaluation chosen = SequenceEvaluator.evaluate(problem, sequence);
                Prices prices = Prices.of(problem, sequence, chosen);
                List<Double> all = IntStream.range(0, problem.valueCount())
                        .boxed()
                        .flatMap(v -> prices
                                .of(v)
                                .filter(price -> price instanceof Price.Changed)
                                .map(price -> new PeakRelief(v, (Price.Changed) price))
                                .stream())
                        .filter(relief -> relief.price().change() == Change.DROP
                                && relief.price().peakBytes() < 0)
                        .map(PeakRelief::costOfByte)
                        .sorted(Comparator.naturalOrder())
                        .limit(3)
                        .toList();
                assertThat(PeakRelief.cheapest(problem, prices, chosen, 3))
                        .as(strategy)
                        .extracting(PeakRelief::costOfByte)
                        .isEqualTo(all);
                assertThat(strategy.equals("keep-all") && all.isEmpty()).isFalse();
            }
        }
    }
}
