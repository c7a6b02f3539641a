package dev.remat.compiler.onnx.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An {@code AttributeProto}: whatever it holds; the operator knows what it should be.
 *
 * @param reference name of the function's attribute that it takes its value from, empty outside of functions
 */
public record OnnxAttribute(
        String name,
        String reference,
        List<Long> integers,
        List<Float> reals,
        List<String> texts,
        List<OnnxTensor> tensors,
        List<OnnxGraphBody> graphs) {
    static OnnxAttribute read(Wire in, NodeCount count) {
        String name = "";
        String reference = "";
        List<Long> integers = new ArrayList<>();
        List<Float> reals = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        List<OnnxTensor> tensors = new ArrayList<>();
        List<OnnxGraphBody> graphs = new ArrayList<>();
        // Writers may write all fields, those of other types as zeros.
        long type = 0;
        float single = 0;
        boolean hasSingle = false;
        Optional<Long> integer = Optional.empty();
        Optional<String> text = Optional.empty();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> {
                    single = in.real();
                    hasSingle = true;
                }
                case 3 -> integer = Optional.of(in.number());
                case 4 -> text = Optional.of(in.text());
                case 5, 10 -> tensors.add(OnnxTensor.read(in.message()));
                case 6, 11 -> graphs.add(OnnxGraphBody.read(in.message(), count));
                case 7 -> in.reals(reals);
                case 8 -> in.numbers(integers);
                case 9 -> texts.add(in.text());
                case 20 -> type = in.number();
                case 21 -> reference = in.text();
                default -> in.skip();
            }
        }
        if (hasSingle && (type == 1 || type == 0)) {
            reals.add(single);
        }
        if (type == 1 && !hasSingle) {
            reals.add(0f);
        }
        if (type == 2 || type == 0) {
            integer.ifPresent(integers::add);
        }
        if (type == 2 && integer.isEmpty()) {
            integers.add(0L);
        }
        if (type == 3 || type == 0) {
            text.ifPresent(texts::add);
        }
        if (type == 3 && text.isEmpty()) {
            texts.add("");
        }
        return new OnnxAttribute(name, reference, integers, reals, texts, tensors, graphs);
    }

    /** The same value under another name. */
    public OnnxAttribute named(String other) {
        return new OnnxAttribute(other, "", integers, reals, texts, tensors, graphs);
    }

    /** One integer. */
    public static OnnxAttribute of(String name, long value) {
        return new OnnxAttribute(name, "", List.of(value), List.of(), List.of(), List.of(), List.of());
    }
}
