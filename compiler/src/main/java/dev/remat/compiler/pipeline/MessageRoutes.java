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
 * there. It is taken units before it is needed, so that it comes while these run, and never in another order than that
 * in which it is sent; what was sent is left alone for as many.
 */
final class MessageRoutes {
    /**
     * A message.
     *
     * @param lead for how many units it may be on its way
     */
    record Way(Source source, int from, int to, int number, int lead) {}

    /** What a stage may send, and in which of its units it has it. */
    private record Had(Source source, int unit) {}

    private final StageUnits units;
    private final StepPieces pieces;
    /** By what is sent: the unit of each stage that needs it first. */
    private final Map<Source, SortedMap<Integer, Integer>> needed = new LinkedHashMap<>();

    private final Map<Source, List<Way>> ways = new LinkedHashMap<>();
    /** Of each stage, by unit. */
    private final List<SortedMap<Integer, List<Way>>> taken = new ArrayList<>();

    MessageRoutes(StepPieces pieces, StageUnits units, MessageLead lead) {
        this.units = units;
        this.pieces = pieces;
        for (int stage = 0; stage < units.stages(); stage++) {
            taken.add(new TreeMap<>());
            need(stage);
        }
        int number = 0;
        for (int from = 0; from < units.stages(); from++) {
            List<Way> sent = new ArrayList<>();
            for (Had had : inOrder(from)) {
                SortedMap<Integer, Integer> readers = needed.getOrDefault(had.source(), Collections.emptySortedMap());
                for (int to : readers.keySet()) {
                    int may = lead.of(from, had.unit(), to, readers.get(to));
                    sent.add(new Way(had.source(), from, to, number++, may));
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
    private List<Had> inOrder(int stage) {
        List<Had> sources = new ArrayList<>();
        List<Unit> own = units.of(stage);
        for (int unit = 0; unit < own.size(); unit++) {
            for (Source source : given(stage, unit)) {
                sources.add(new Had(source, unit));
            }
            for (Item item : own.get(unit).items()) {
                for (ValueId result : item.node().results()) {
                    sources.add(new Had(new Made(item.piece(), result), unit));
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
                        last,
                        Math.max(
                                0,
                                needed.get(own.get(k).source()).get(stage)
                                        - own.get(k).lead()));
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
