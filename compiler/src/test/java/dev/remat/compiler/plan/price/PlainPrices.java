package dev.remat.compiler.plan.price;

import dev.remat.compiler.plan.MemorySimulation;
import dev.remat.compiler.plan.evaluate.SequenceChecker;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Prices as {@code docs/planning.md} defines them, in plain lists and quadratic time, judged by {@link
 * MemorySimulation}: shares nothing with {@link Prices} but the checker that says whether a sequence is valid.
 */
record PlainPrices(RematProblem problem, List<Integer> steps) {
    /** A run, and whether something read it before anything was changed. */
    private record Run(int node, boolean wasRead) {}

    /** Differences of cost and peak. */
    record Difference(long cost, long peakBytes) {}

    static PlainPrices of(RematProblem problem, OperatorSequence sequence) {
        return new PlainPrices(problem, sequence.steps().boxed().toList());
    }

    /** Empty if the sequence decides nothing about the value, or nothing else is valid. */
    Optional<Difference> price(int value) {
        int node = problem.producer(value);
        if (problem.residentNode(node) || problem.resident(value)) {
            return Optional.empty();
        }
        List<Run> runs = new ArrayList<>();
        for (int t = 0; t < steps.size(); t++) {
            runs.add(new Run(steps.get(t), !readers(steps, t).isEmpty()));
        }
        if (steps.indexOf(node) != steps.lastIndexOf(node)) {
            if (problem.pin(node) == Pin.RECOMPUTE) {
                return Optional.empty();
            }
            for (int t = runs.size() - 1; t > steps.indexOf(node); t--) {
                if (runs.get(t).node() == node) {
                    runs.remove(t);
                }
            }
            return difference(runs);
        }
        int rest = 0;
        while (rest < steps.size()
                && problem.role(steps.get(rest)) != Role.BACKWARD
                && steps.indexOf(steps.get(rest)) == rest) {
            rest++;
        }
        int from = rest;
        Optional<Integer> at = readersOf(steps, steps.indexOf(node), value).stream()
                .filter(t -> t >= from && t < steps.size())
                .findFirst();
        boolean free = problem.role(node) == Role.FORWARD && !problem.output(value);
        if (at.isEmpty() || !free || !mayRun(node, at.get())) {
            return Optional.empty();
        }
        TreeSet<Integer> again = new TreeSet<>(List.of(node));
        List<Integer> open = new ArrayList<>(again);
        while (!open.isEmpty()) {
            int next = open.removeLast();
            for (int input : problem.node(next).inputs()) {
                if (!problem.residentNode(problem.producer(input)) && isGone(input, at.get())) {
                    if (again.add(problem.producer(input))) {
                        open.add(problem.producer(input));
                    }
                }
            }
        }
        runs.addAll(at.get(), again.stream().map(each -> new Run(each, true)).toList());
        return difference(runs);
    }

    private boolean isGone(int value, int step) {
        int producer = problem.producer(value);
        List<Integer> before = steps.subList(0, step);
        boolean readLater =
                readersOf(steps, before.lastIndexOf(producer), value).stream().anyMatch(t -> t >= step);
        boolean forbidden =
                problem.pin(producer) == Pin.RECOMPUTE && before.indexOf(producer) == before.lastIndexOf(producer);
        return (!readLater || forbidden) && mayRun(producer, step);
    }

    /** Whether a node may run again before a step: nothing it reads has been overwritten. */
    private boolean mayRun(int node, int step) {
        if (problem.once(node) || problem.pin(node) == Pin.RETAIN) {
            return false;
        }
        List<Integer> tried = new ArrayList<>(steps.subList(0, step));
        List<String> before = violations(tried);
        tried.add(node);
        List<String> after = violations(tried);
        return after.stream().filter(each -> each.contains("has been changed")).count()
                == before.stream()
                        .filter(each -> each.contains("has been changed"))
                        .count();
    }

    private List<String> violations(List<Integer> tried) {
        return SequenceChecker.violations(problem, sequence(tried));
    }

    private static OperatorSequence sequence(List<Integer> steps) {
        return new OperatorSequence(
                "plain", steps.stream().mapToInt(Integer::intValue).toArray(), List.of());
    }

    /** Lets go what nothing reads any more, and compares. */
    private Optional<Difference> difference(List<Run> changed) {
        List<Run> runs = new ArrayList<>(changed);
        int t = runs.size() - 1;
        while (t >= 0) {
            List<Integer> nodes = runs.stream().map(Run::node).toList();
            Run run = runs.get(t);
            boolean others = nodes.indexOf(run.node()) != nodes.lastIndexOf(run.node());
            boolean first = nodes.indexOf(run.node()) == t;
            boolean may = others && !(first && problem.pin(run.node()) == Pin.RECOMPUTE);
            if (may && run.wasRead() && readers(nodes, t).isEmpty()) {
                runs.remove(t);
                t = runs.size();
            }
            t--;
        }
        List<Integer> nodes = runs.stream().map(Run::node).toList();
        if (!violations(nodes).isEmpty()) {
            return Optional.empty();
        }
        MemorySimulation before = MemorySimulation.of(problem, sequence(steps));
        MemorySimulation after = MemorySimulation.of(problem, sequence(nodes));
        return Optional.of(new Difference(after.cost() - before.cost(), after.peakBytes() - before.peakBytes()));
    }

    /** Steps that read anything a run makes; the number of steps stands for what is left behind. */
    private List<Integer> readers(List<Integer> nodes, int run) {
        List<Integer> readers = new ArrayList<>();
        int node = nodes.get(run);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            readers.addAll(readersOf(nodes, run, v));
        }
        return readers;
    }

    private List<Integer> readersOf(List<Integer> nodes, int run, int value) {
        List<Integer> readers = new ArrayList<>();
        int t = run + 1;
        while (t < nodes.size() && !nodes.get(t).equals(nodes.get(run))) {
            if (problem.node(nodes.get(t)).inputs().contains(value)) {
                readers.add(t);
            }
            t++;
        }
        if (t == nodes.size() && problem.output(value)) {
            readers.add(t);
        }
        return readers;
    }
}
