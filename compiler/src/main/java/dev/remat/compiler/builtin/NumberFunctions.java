package dev.remat.compiler.builtin;

import java.util.ArrayList;
import java.util.List;

/** Functions on hyper-parameters. */
public final class NumberFunctions {
    private static final long LONGEST_LIST = 10_000;

    private NumberFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "range",
                        "start: int, end: int = none",
                        "The integers from `start` up to but without `end`; from 0 up to `start` if it is alone.",
                        NumberFunctions::range),
                Builtin.function(
                        "len",
                        "list: list",
                        "Number of elements.",
                        (args, out) -> Datum.IntValue.of(args.items("list").size())),
                Builtin.function(
                        "ceildiv",
                        "x: int, y: int",
                        "Quotient of integers, rounded up.",
                        (args, out) ->
                                Numbers.negate(Numbers.floorDivide(Numbers.negate(args.any("x")), args.any("y")))),
                Builtin.function(
                        "int",
                        "x: float",
                        "Rounds a number towards 0.",
                        (args, out) -> args.any("x") instanceof Datum.IntValue whole
                                ? whole
                                : Numbers.integer(args.real("x"))),
                Builtin.function(
                        "float",
                        "x: float",
                        "An integer as a real number.",
                        (args, out) -> new Datum.FloatValue(args.real("x"))));
    }

    private static Datum range(Arguments args, Emission out) {
        boolean two = args.isGiven("end");
        long start = two ? args.integer("start") : 0;
        long end = two ? args.integer("end") : args.integer("start");
        if (end > start && Math.subtractExact(end, start) > LONGEST_LIST) {
            throw new SemanticError(
                    "E0305", "a list has at most " + LONGEST_LIST + " elements", "'repeat' needs no list");
        }
        List<Datum> numbers = new ArrayList<>();
        for (long i = start; i < end; i++) {
            numbers.add(Datum.IntValue.of(i));
        }
        return new Datum.ListValue(numbers, false);
    }
}
