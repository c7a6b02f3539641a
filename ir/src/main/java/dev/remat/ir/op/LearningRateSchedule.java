package dev.remat.ir.op;

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
}
