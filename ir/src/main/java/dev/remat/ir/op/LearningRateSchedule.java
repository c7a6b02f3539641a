package dev.remat.ir.op;

import java.util.List;

/** Learning rate as a function of the step, which counts from 1. Rates are computed in double precision. */
public sealed interface LearningRateSchedule {
    /** The rate of step {@code step}, before it is rounded to f32. */
    double at(long step);

    /** Constants in the text form. */
    Attributes attributes();

    /** @throws IllegalArgumentException if the attributes give no schedule */
    static LearningRateSchedule parse(Attributes attributes) {
        double rate = attributes.real("rate");
        String name = attributes.word("schedule");
        return switch (name) {
            case "constant" -> new Constant(rate);
            case "warmup" -> new Warmup(rate, attributes.number("warmup"));
            case "linear" ->
                new Linear(rate, attributes.number("warmup"), attributes.number("total"), attributes.real("floor"));
            case "cosine" ->
                new Cosine(rate, attributes.number("warmup"), attributes.number("total"), attributes.real("floor"));
            case "steps" ->
                new Steps(rate, attributes.number("warmup"), attributes.number("every"), attributes.real("gamma"));
            case "milestones" ->
                new Milestones(rate, attributes.number("warmup"), attributes.integers("at"), attributes.real("gamma"));
            case "exponential" -> new Exponential(rate, attributes.number("warmup"), attributes.real("gamma"));
            case "polynomial" ->
                new Polynomial(
                        rate,
                        attributes.number("warmup"),
                        attributes.number("total"),
                        attributes.real("power"),
                        attributes.real("floor"));
            case "inverse_sqrt" -> new InverseSquareRoot(rate, attributes.number("warmup"));
            case "one_cycle" ->
                new OneCycle(
                        rate,
                        attributes.number("total"),
                        attributes.real("rising"),
                        attributes.real("start"),
                        attributes.real("end"),
                        attributes.flag("cosine"));
            default -> throw new IllegalArgumentException("unknown schedule " + name);
        };
    }

    private static Attributes named(String name, double rate) {
        return Attributes.NONE.with("schedule", name).with("rate", rate);
    }

    private static void validate(double rate, long warmup) {
        Expect.argument(rate >= 0 && Double.isFinite(rate), "rate %s", rate);
        Expect.argument(warmup >= 0, "warm-up over %s steps", warmup);
    }

    /** From {@code rate/warmup} in step 1 to {@code rate} in step {@code warmup}. */
    private static double rising(double rate, long warmup, long step) {
        return step >= warmup ? rate : rate * step / warmup;
    }

    /** Share of the way from step {@code warmup} to step {@code total}, from 0 to 1. */
    private static double progress(long warmup, long total, long step) {
        double share = (double) (step - warmup) / Math.max(1, total - warmup);
        return Math.clamp(share, 0.0, 1.0);
    }

    /** The same rate in every step. */
    record Constant(double rate) implements LearningRateSchedule {
        public Constant {
            validate(rate, 0);
        }

        @Override
        public double at(long step) {
            return rate;
        }

        @Override
        public Attributes attributes() {
            return named("constant", rate);
        }
    }

    /**
     * Rises in equal steps, from {@code rate/warmup} in step 1, and stays at {@code rate} from step {@code warmup} on.
     */
    record Warmup(double rate, long warmup) implements LearningRateSchedule {
        public Warmup {
            validate(rate, warmup);
        }

        @Override
        public double at(long step) {
            return rising(rate, warmup, step);
        }

        @Override
        public Attributes attributes() {
            return named("warmup", rate).with("warmup", warmup);
        }
    }

    /** After the warm-up falls along a line to {@code floor} in step {@code total}, and stays there. */
    record Linear(double rate, long warmup, long total, double floor) implements LearningRateSchedule {
        public Linear {
            validate(rate, warmup);
            Expect.argument(total >= warmup, "warm-up over %s of %s steps", warmup, total);
            Expect.argument(floor >= 0 && floor <= rate, "rate %s does not fall to %s", rate, floor);
        }

        @Override
        public double at(long step) {
            return step < warmup ? rising(rate, warmup, step) : rate + (floor - rate) * progress(warmup, total, step);
        }

        @Override
        public Attributes attributes() {
            return named("linear", rate)
                    .with("warmup", warmup)
                    .with("total", total)
                    .with("floor", floor);
        }
    }

    /**
     * After the warm-up falls along half a cosine to {@code floor} in step {@code total} (Loshchilov and Hutter, 2017).
     */
    record Cosine(double rate, long warmup, long total, double floor) implements LearningRateSchedule {
        public Cosine {
            validate(rate, warmup);
            Expect.argument(total >= warmup, "warm-up over %s of %s steps", warmup, total);
            Expect.argument(floor >= 0 && floor <= rate, "rate %s does not fall to %s", rate, floor);
        }

        @Override
        public double at(long step) {
            double fallen = (1 + StrictMath.cos(Math.PI * progress(warmup, total, step))) / 2;
            return step < warmup ? rising(rate, warmup, step) : floor + (rate - floor) * fallen;
        }

        @Override
        public Attributes attributes() {
            return named("cosine", rate)
                    .with("warmup", warmup)
                    .with("total", total)
                    .with("floor", floor);
        }
    }

    /** After the warm-up is multiplied by {@code gamma} each {@code every} steps, counted from step 1. */
    record Steps(double rate, long warmup, long every, double gamma) implements LearningRateSchedule {
        public Steps {
            validate(rate, warmup);
            Expect.argument(every > 0, "decay every %s steps", every);
            Expect.argument(gamma >= 0 && Double.isFinite(gamma), "decay by %s", gamma);
        }

        @Override
        public double at(long step) {
            long decays = (step - 1) / every;
            return rising(rate, warmup, step) * StrictMath.pow(gamma, decays);
        }

        @Override
        public Attributes attributes() {
            return named("steps", rate)
                    .with("warmup", warmup)
                    .with("every", every)
                    .with("gamma", gamma);
        }
    }

    /** After the warm-up is multiplied by {@code gamma} after each step of {@code at}, as PyTorch's MultiStepLR. */
    record Milestones(double rate, long warmup, List<Integer> at, double gamma) implements LearningRateSchedule {
        public Milestones {
            at = at.stream().sorted().toList();
            validate(rate, warmup);
            Expect.argument(!at.isEmpty() && at.getFirst() > 0, "milestones at %s are not steps", at);
            Expect.argument(gamma >= 0 && Double.isFinite(gamma), "decay by %s", gamma);
        }

        @Override
        public double at(long step) {
            long passed = at.stream().filter(milestone -> step > milestone).count();
            return rising(rate, warmup, step) * StrictMath.pow(gamma, passed);
        }

        @Override
        public Attributes attributes() {
            return named("milestones", rate)
                    .with("warmup", warmup)
                    .with("at", at)
                    .with("gamma", gamma);
        }
    }

    /** After the warm-up is multiplied by {@code gamma} each step, counted from step 1, as PyTorch's ExponentialLR. */
    record Exponential(double rate, long warmup, double gamma) implements LearningRateSchedule {
        public Exponential {
            validate(rate, warmup);
            Expect.argument(gamma >= 0 && Double.isFinite(gamma), "decay by %s", gamma);
        }

        @Override
        public double at(long step) {
            return rising(rate, warmup, step) * StrictMath.pow(gamma, step - 1.0);
        }

        @Override
        public Attributes attributes() {
            return named("exponential", rate).with("warmup", warmup).with("gamma", gamma);
        }
    }

    /** After the warm-up falls as {@code (1 − progress)^power} to {@code floor} in step {@code total}. */
    record Polynomial(double rate, long warmup, long total, double power, double floor)
            implements LearningRateSchedule {
        public Polynomial {
            validate(rate, warmup);
            Expect.argument(total >= warmup, "warm-up over %s of %s steps", warmup, total);
            Expect.argument(power > 0 && Double.isFinite(power), "power %s is not positive", power);
            Expect.argument(floor >= 0 && floor <= rate, "rate %s does not fall to %s", rate, floor);
        }

        @Override
        public double at(long step) {
            double left = 1 - progress(warmup, total, step);
            return step < warmup
                    ? rising(rate, warmup, step)
                    : floor + (rate - floor) * (left == 0 ? 0 : StrictMath.pow(left, power));
        }

        @Override
        public Attributes attributes() {
            return named("polynomial", rate)
                    .with("warmup", warmup)
                    .with("total", total)
                    .with("power", power)
                    .with("floor", floor);
        }
    }

    /** After the warm-up falls as {@code √(warmup / step)} (Vaswani et al., 2017). */
    record InverseSquareRoot(double rate, long warmup) implements LearningRateSchedule {
        public InverseSquareRoot {
            validate(rate, warmup);
            Expect.argument(warmup > 0, "warm-up over %s steps", warmup);
        }

        @Override
        public double at(long step) {
            return step < warmup ? rising(rate, warmup, step) : rate * Math.sqrt((double) warmup / step);
        }

        @Override
        public Attributes attributes() {
            return named("inverse_sqrt", rate).with("warmup", warmup);
        }
    }

    /**
     * One cycle (Smith and Topin, 2018), as PyTorch's OneCycleLR: from {@code rate/start} up to {@code rate} in the
     * share {@code rising} of the steps, then down to {@code rate/(start·end)} in step {@code total}, where it stays.
     *
     * @param cosine along half cosines rather than lines
     */
    record OneCycle(double rate, long total, double rising, double start, double end, boolean cosine)
            implements LearningRateSchedule {
        public OneCycle {
            validate(rate, 0);
            Expect.argument(total > 0, "a cycle of %s steps", total);
            Expect.argument(rising >= 0 && rising <= 1, "share %s of rising steps is not from 0 to 1", rising);
            Expect.argument(start > 0 && Double.isFinite(start), "division by %s", start);
            Expect.argument(end > 0 && Double.isFinite(end), "division by %s", end);
        }

        /** Steps that rise, less one; not always whole. */
        public double peak() {
            return rising * total - 1;
        }

        @Override
        public double at(long step) {
            double at = Math.min(step, total) - 1.0;
            return at <= peak()
                    ? between(rate / start, rate, peak() == 0 ? 1 : at / peak())
                    : between(rate, rate / start / end, (at - peak()) / (total - 1 - peak()));
        }

        private double between(double from, double to, double share) {
            double gone = cosine ? (1 - StrictMath.cos(Math.PI * share)) / 2 : share;
            return from + (to - from) * gone;
        }

        @Override
        public Attributes attributes() {
            return named("one_cycle", rate)
                    .with("total", total)
                    .with("rising", rising)
                    .with("start", start)
                    .with("end", end)
                    .with("cosine", cosine);
        }
    }
}
