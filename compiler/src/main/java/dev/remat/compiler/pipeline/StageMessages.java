package dev.remat.compiler.pipeline;

import dev.remat.compiler.pipeline.Piece.Section;
import dev.remat.compiler.pipeline.Source.Given;
import dev.remat.compiler.pipeline.Source.Made;
import dev.remat.compiler.pipeline.Source.Rows;
import dev.remat.compiler.pipeline.StageUnits.Item;
import dev.remat.compiler.pipeline.StageUnits.Unit;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What stages send each other: each value straight from the stage that has it to each that reads it, as soon as it is
 * there. It is taken units before it is needed, so that it comes while these run, and never
 * in another order than that in which
 * it is sent; what was sent is left alone for as many.
 */
final class StageMessages {
    /** A message. */
    record Way(Source source, int from, int to, int number) {}

    private final StageUnits units;
    private final StepPieces pieces;
    private final int ahead;
    /** By what is sent: the unit of each stage that needs it first. */
    private final Map<Source, SortedMap<Integer, Integer>> needed = new LinkedHashMap<>();

    private final Map<Source, List<Way>> ways = new LinkedHashMap<>();
    /** Of each stage, by unit. */
    private final List<SortedMap<Integer, List<Way>>> taken = new ArrayList<>();

    StageMessages(StepPieces pieces, StageUnits units, int ahead) {
        this.units = units;
        this.ahead = ahead;
        this.pieces = pieces;
        for (int stage = 0; stage < units.stages(); stage++) {
            taken.add(new TreeMap<>());
            need(stage);
        }
        int number = 0;
        for (int from = 0; from < units.stages(); from++) {
            List<Way> sent = new ArrayList<>();
            for (Source source : inOrder(from)) {
                for (int to : needed.getOrDefault(source, Collections.emptySortedMap())
                        .keySet()) {
                    sent.add(new Way(source, from, to, number++));
                }
            }
            sent.forEach(way ->
                    ways.computeIfAbsent(way.source(), _ -> new ArrayList<>()).add(way));
            take(sent);
        }
    }

    /** To all stages that read it. */
    List<Way> sent(Source source) {
        return ways.getOrDefault(source, List.of());
    }

    /** For how many units a message may be on its way. */
    int ahead() {
        return ahead;
    }

    /** What a stage takes when it begins a unit. */
    List<Way> taken(int stage, int unit) {
        return taken.get(stage).getOrDefault(unit, List.of());
    }

    private void need(int stage) {
        List<Unit> own = units.of(stage);
        for (int unit = 0; unit < own.size(); unit++) {
            for (Item item : own.get(unit).items()) {
                for (Source source : pieces.sources(item.piece(), item.node())) {
                    if (units.stage(source) != stage) {
                        needed.computeIfAbsent(source, _ -> new TreeMap<>()).putIfAbsent(stage, unit);
                    }
                }
            }
        }
    }

    /** What a stage may send, in the order in which it has it. */
    private List<Source> inOrder(int stage) {
        List<Source> sources = new ArrayList<>();
        List<Unit> own = units.of(stage);
        for (int unit = 0; unit < own.size(); unit++) {
            sources.addAll(given(stage, unit));
            for (Item item : own.get(unit).items()) {
                for (ValueId result : item.node().results()) {
                    sources.add(new Made(item.piece(), result));
                }
            }
        }
        return sources;
    }

    /**
     * Inputs that a stage sends when it begins a unit: what all micro-batches read at once,
     * rows with the first visit.
     */
    List<Source> given(int stage, int unit) {
        List<Unit> own = units.of(stage);
        int microBatch = own.get(unit).microBatch();
        boolean first = own.stream().map(Unit::microBatch).toList().indexOf(microBatch) == unit;
        return needed.keySet().stream()
                .filter(source -> switch (source) {
                    case Given _ -> unit == 0;
                    case Rows(String _, int number) ->
                        needed.get(source).containsValue(0) ? unit == 0 : first && number == microBatch;
                    case Made _ -> false;
                })
                .filter(source -> units.stage(source) == stage)
                .toList();
    }

    /** @param sent by one stage, in its order */
    private void take(List<Way> sent) {
        for (int to = 0; to < units.stages(); to++) {
            int stage = to;
            List<Way> own = sent.stream().filter(way -> way.to() == stage).toList();
            int[] at = new int[own.size()];
            int last = Integer.MAX_VALUE;
            for (int k = own.size() - 1; k >= 0; k--) {
                last = Math.min(
                        last, Math.max(0, needed.get(own.get(k).source()).get(stage) - ahead));
                at[k] = last;
            }
            for (int k = 0; k < at.length; k++) {
                taken.get(stage).computeIfAbsent(at[k], _ -> new ArrayList<>()).add(own.get(k));
            }
        }
    }

    /** The name of what is sent, of all micro-batches. */
    String name(Source source) {
        return switch (source) {
            case Given(String input) -> input;
            case Rows(String input, int number) -> input + "." + (number + 1);
            case Made(Piece piece, ValueId value) ->
                pieces.graph(piece).value(value).name()
                        + (piece.section() == Section.UPDATES || piece.number() == 0 ? "" : "." + (piece.number() + 1));
        };
    }
}
